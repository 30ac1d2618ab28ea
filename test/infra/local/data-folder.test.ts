import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { lockFolder } from '../../../infra/local/data-folder.ts';
import { test } from '../../support/fixtures.ts';

/** Process ids on Linux stay below 2²². */
const DEAD_PID = 4_194_305;

describe('the reservation of a data folder', () => {
  const it = test.extend('file', ({ folder }) => join(folder, 'service.json'));

  it.for([JSON.stringify({ pid: DEAD_PID }), ''])(
    'replaces the file of a process that is not running: %j',
    (owner, { folder, file }) => {
      writeFileSync(file, owner);
      lockFolder(folder);
      expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ pid: process.pid }));
    },
  );
});
