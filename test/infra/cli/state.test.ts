import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findState, makeFolder, readState, reserve } from '../../../infra/cli/state.ts';
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

/** More than any system gives to a process. */
const DEAD_PID = '4194305';

/** Tries to reserve each folder at a time that is the same in all processes; prints those it has. */
const STARTER = `
  import { readdirSync } from 'node:fs';
  import { join } from 'node:path';
  const [, state, parent, startMs] = process.argv;
  const { reserve } = await import(state);
  readdirSync(parent).sort().forEach((name, index) => {
    while (Date.now() < Number(startMs) + 5 * index);
    try {
      reserve(join(parent, name));
      console.log(name);
    } catch (error) {
      if (!error.message.includes('already')) throw error;
    }
  });
  console.log('done');
  process.stdin.resume();
`;

async function linesUntilDone(output: Readable): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface(output)) {
    if (line === 'done') break;
    lines.push(line);
  }
  return lines;
}

describe('the reservation of the data of a local service', () => {
  let directory: string;
  let lock: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'recruitment-reservation-'));
    lock = join(directory, 'service.lock');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('is for one process until it is given back', () => {
    const giveBack = reserve(directory);
    expect(() => reserve(directory)).toThrow(`(process ${process.pid})`);
    giveBack();
    expect(readdirSync(directory)).toEqual([]);
    reserve(directory)();
  });

  it.each([DEAD_PID, '', '0', '-1', 'x'])('is taken over from what does not run: %j', (owner) => {
    writeFileSync(lock, owner);
    reserve(directory);
    expect(readFileSync(lock, 'utf8')).toBe(String(process.pid));
    expect(readdirSync(directory)).toEqual(['service.lock']);
  });

  it('is taken over by one of several processes that start at once', async () => {
    const folders = Array.from({ length: 100 }, (_, index) => String(index).padStart(2, '0'));
    for (const name of folders) {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, 'service.lock'), DEAD_PID);
    }
    const state = new URL('../../../infra/cli/state.ts', import.meta.url).href;
    const args = [
      '--input-type=module',
      '-e',
      STARTER,
      state,
      directory,
      String(Date.now() + 2000),
    ];
    const starters = Array.from({ length: 3 }, () => spawn(process.execPath, args));
    // One that ended before the others would make its reservations stale.
    const reserved = await Promise.all(starters.map(({ stdout }) => linesUntilDone(stdout)));
    for (const { stdin } of starters) stdin.end();
    expect(reserved.flat().sort()).toEqual(folders);
  });
});
