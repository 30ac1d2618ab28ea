import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findState, makeFolder, readState } from '../../../infra/cli/state.ts';
import { command } from '../../../infra/local/token.ts';
import { runCommand } from '../../support/operator-command.ts';

describe('the state of a local service', () => {
  let directory: string;
  let file: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'recruitment-state-'));
    file = join(directory, 'service.json');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(['{ "pid": 1', '', 'null', '{}'])('names the damaged file: %j', (text) => {
    writeFileSync(file, text);
    expect(() => readState(directory)).toThrow(file);
    expect(() => findState(directory)).toThrow(file);
  });

  it('makes a command fail with one line', async () => {
    writeFileSync(file, '{ "pid": 1');
    const { exitCode, err } = await runCommand(command, ['--data', directory]);
    expect([exitCode, err.split('\n')]).toEqual([1, [expect.stringContaining(file), '']]);
  });

  it.each(['', '/below'])('cannot have a file as its folder: taken%s', (below) => {
    const taken = join(directory, 'taken');
    writeFileSync(taken, 'kept');
    const path = `${taken}${below}`;
    expect(() => makeFolder(path)).toThrow(`${path} `);
    expect(readFileSync(taken, 'utf8')).toBe('kept');
  });
});
