import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readState, reserve } from '../../../../infra/commands/cli/service-state.ts';

/** A process id that no system uses. */
const DEAD_PID = 4_194_305;
/** Two users who are not the administrator. */
const [OTHER_USER, THIS_USER] = [65_533, 65_534];

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the reservation of a data folder', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'recruitment-reservation-'));
    file = join(directory, 'service.json');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each([JSON.stringify({ pid: DEAD_PID }), ''])(
    'replaces the file of a process that is not running: %j',
    (owner) => {
      writeFileSync(file, owner);
      reserve(directory);
      expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ pid: process.pid }));
    },
  );

  it('creates folders that only the owner may use', () => {
    const nested = join(directory, 'some/data');
    reserve(nested);
    expect([modeOf(nested), modeOf(join(nested, 'service.json'))]).toEqual(['700', '600']);
  });

  it('removes the permissions of other users from the files of a service', () => {
    chmodSync(directory, 0o755);
    const left = ['dynamodb.sqlite', 'dynamodb.sqlite-wal', 'files', 'files/default', 'cdk.out'];
    for (const name of left) {
      const path = join(directory, name);
      if (name.includes('sqlite')) writeFileSync(path, '', { mode: 0o644 });
      else mkdirSync(path, { mode: 0o755 });
    }
    reserve(directory);
    expect(['', ...left].map((name) => modeOf(join(directory, name)))).toEqual([
      '700',
      '600',
      '600',
      '700',
      '700',
      '700',
    ]);
  });

  it('keeps the permissions of a folder with other files, and of a file behind a link', () => {
    chmodSync(directory, 0o755);
    const other = join(directory, 'notes.txt');
    writeFileSync(other, '', { mode: 0o644 });
    symlinkSync(other, join(directory, 'files'));
    reserve(directory);
    expect([directory, other, file].map(modeOf)).toEqual(['755', '644', '600']);
  });

  it('names the folder if no service is running, and the option for another folder', () => {
    expect(() => readState(directory)).toThrow(directory);
    expect(() => readState(directory)).toThrow('--data');
  });

  describe('of another user', () => {
    let running: ChildProcess | undefined;
    const { geteuid, seteuid } = process;
    const isAdministrator = geteuid?.() === 0;
    beforeAll(async () => {
      if (!isAdministrator) return;
      running = spawn('sleep', ['600'], { uid: OTHER_USER });
      await once(running, 'spawn');
    });
    afterAll(() => running?.kill());

    /** Runs `work` as a user who may not send signals to the process `pid`. */
    function asAnotherUser(work: (pid: number) => unknown): void {
      if (!isAdministrator) {
        work(1);
        return;
      }
      seteuid?.(THIS_USER);
      try {
        work(running?.pid ?? 0);
      } finally {
        seteuid?.(0);
      }
    }

    it('is respected while the service runs', () => {
      chmodSync(directory, 0o777);
      asAnotherUser((pid) => {
        writeFileSync(file, JSON.stringify({ pid }));
        expect(() => reserve(directory)).toThrow(`running on this data (process ${pid})`);
      });
    });

    it.each([reserve, readState])('cannot be read, and the error says what to do: %o', (use) => {
      chmodSync(directory, 0o755);
      writeFileSync(file, JSON.stringify({ pid: DEAD_PID }), { mode: 0 });
      asAnotherUser(() => {
        expect(() => use(directory)).toThrow(
          `${file} cannot be used: permission denied (EACCES). Choose a folder of your own with --data DIR.`,
        );
      });
    });

    it('cannot be replaced, and the error says what to do', () => {
      writeFileSync(file, JSON.stringify({ pid: DEAD_PID }), { mode: 0o600 });
      if (isAdministrator) chownSync(file, THIS_USER, THIS_USER);
      writeFileSync(join(directory, 'notes.txt'), '');
      chmodSync(directory, 0o555);
      asAnotherUser(() => {
        expect(() => reserve(directory)).toThrow(/permission denied \(EACCES\).*--data DIR/);
      });
      chmodSync(directory, 0o700);
    });
  });
});
