import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { reserve } from '../../../infra/local/data-folder.ts';
import { readState } from '../../../infra/operator/cli/service-state.ts';
import { test } from '../../support/fixtures.ts';

/** A process id that no system uses. */
const DEAD_PID = 4_194_305;
/** Two users who are not the administrator. */
const [OTHER_USER, THIS_USER] = [65_533, 65_534];

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the reservation of a data folder', () => {
  const it = test.extend('file', ({ folder }) => join(folder, 'service.json'));

  it.for([JSON.stringify({ pid: DEAD_PID }), ''])(
    'replaces the file of a process that is not running: %j',
    (owner, { folder, file }) => {
      writeFileSync(file, owner);
      reserve(folder);
      expect(readFileSync(file, 'utf8')).toBe(JSON.stringify({ pid: process.pid }));
    },
  );

  it('creates folders that only the owner may use', ({ folder }) => {
    const nested = join(folder, 'some/data');
    reserve(nested);
    expect([modeOf(nested), modeOf(join(nested, 'service.json'))]).toEqual(['700', '600']);
  });

  it('removes the permissions of other users from the files of a service', ({ folder }) => {
    chmodSync(folder, 0o755);
    const files = ['dynamodb.sqlite', 'dynamodb.sqlite-wal', 'issuer.json', 'sam.json'];
    const left = [...files, 'files', 'files/default'];
    for (const name of left) {
      const path = join(folder, name);
      if (files.includes(name)) writeFileSync(path, '', { mode: 0o644 });
      else mkdirSync(path, { mode: 0o755 });
    }
    reserve(folder);
    expect(['', ...left].map((name) => modeOf(join(folder, name)))).toEqual([
      '700',
      ...files.map(() => '600'),
      ...['700', '700'],
    ]);
  });

  it('keeps the permissions of a folder with other files, and of a file behind a link', ({
    folder,
    file,
  }) => {
    chmodSync(folder, 0o755);
    const other = join(folder, 'notes.txt');
    writeFileSync(other, '', { mode: 0o644 });
    symlinkSync(other, join(folder, 'files'));
    reserve(folder);
    expect([folder, other, file].map(modeOf)).toEqual(['755', '644', '600']);
  });

  it('names the folder if no service is running, and the option for another folder', ({
    folder,
  }) => {
    expect(() => readState(folder)).toThrow(folder);
    expect(() => readState(folder)).toThrow('--data');
  });

  describe('of another user', () => {
    const { geteuid, seteuid } = process;
    const isAdministrator = geteuid?.() === 0;

    /** Runs `work` as a user who does not own the files. */
    function asAnotherUser(work: () => unknown): void {
      if (isAdministrator) seteuid?.(THIS_USER);
      try {
        work();
      } finally {
        if (isAdministrator) seteuid?.(0);
      }
    }

    /** Starts a process to which this user may not send signals. Returns its id. */
    function startForeignProcess(): number {
      if (!isAdministrator) return 1;
      const child = spawn('sleep', ['600'], { uid: OTHER_USER });
      onTestFinished(() => void child.kill());
      return child.pid ?? 0;
    }

    it('is respected while the service runs', ({ folder, file }) => {
      chmodSync(folder, 0o777);
      const pid = startForeignProcess();
      asAnotherUser(() => {
        writeFileSync(file, JSON.stringify({ pid }));
        expect(() => reserve(folder)).toThrow(`running on this data (process ${pid})`);
      });
    });

    it.for([reserve, readState])(
      'cannot be read, and the error says what to do: %o',
      (use, { folder, file }) => {
        chmodSync(folder, 0o755);
        writeFileSync(file, JSON.stringify({ pid: DEAD_PID }), { mode: 0 });
        asAnotherUser(() => {
          expect(() => use(folder)).toThrow(
            `${file} cannot be used: permission denied (EACCES). Choose a folder of your own with --data DIR.`,
          );
        });
      },
    );

    it('cannot be replaced, and the error says what to do', ({ folder, file }) => {
      writeFileSync(file, JSON.stringify({ pid: DEAD_PID }), { mode: 0o600 });
      if (isAdministrator) chownSync(file, THIS_USER, THIS_USER);
      writeFileSync(join(folder, 'notes.txt'), '');
      chmodSync(folder, 0o555);
      asAnotherUser(() => {
        expect(() => reserve(folder)).toThrow(/permission denied \(EACCES\).*--data DIR/);
      });
      chmodSync(folder, 0o700);
    });
  });
});
