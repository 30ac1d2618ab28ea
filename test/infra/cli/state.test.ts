import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findState, makeFolder, readState } from '../../../infra/cli/state.ts';
import { runCommand } from '../../support/operator-command.ts';

describe('what a local service tells of itself', () => {
  let directory: string;
  let file: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'recruitment-state-'));
    file = join(directory, 'service.json');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each(['{ "pid": 1', '', 'null', '{}'])('%j: is damaged, and what to do', (text) => {
    writeFileSync(file, text);
    const message = `The file ${file} is damaged: stop the service if it runs, remove the file, and`;
    expect(() => readState(directory)).toThrow(message);
    expect(() => findState(directory)).toThrow(message);
  });

  it('is explained by a command in one line', async () => {
    writeFileSync(file, '{ "pid": 1');
    const { exitCode, err } = await runCommand('token', ['--data', directory]);
    expect([exitCode, err.split('\n')]).toEqual([1, [expect.stringContaining('is damaged'), '']]);
  });

  it.each([
    ['', 'is not a folder'],
    ['/below', 'cannot be made (ENOTDIR)'],
  ])('has no folder where there is a file%s', (below, why) => {
    const taken = join(directory, 'taken');
    writeFileSync(taken, 'kept');
    const path = `${taken}${below}`;
    expect(() => makeFolder(path)).toThrow(
      `The data cannot be kept in ${path}, which ${why}: name another folder.`,
    );
    expect(readFileSync(taken, 'utf8')).toBe('kept');
  });
});
