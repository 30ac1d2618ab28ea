import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reserve } from '../../../../infra/commands/cli/state.ts';

/** More than any system gives to a process. */
const DEAD_PID = 4_194_305;

describe('the reservation of the data of a local service', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'recruitment-reservation-'));
    file = join(directory, 'service.json');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each([JSON.stringify({ pid: DEAD_PID }), ''])(
    'is taken over from what does not run: %j',
    (owner) => {
      writeFileSync(file, owner);
      reserve(directory);
      expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ pid: process.pid }));
    },
  );
});
