import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import { lockFolder } from '../../../infra/local/data-folder.ts';
import { test as it } from '../../support/fixtures.ts';

const ROUNDS = 300;

/** Reads a folder from each line, locks it, and keeps all the locks. */
const LOCKER = `
  import { createInterface } from 'node:readline';
  import { lockFolder } from '${import.meta.resolve('../../../infra/local/data-folder.ts')}';
  const locks = [];
  for await (const folder of createInterface({ input: process.stdin })) {
    try {
      locks.push(lockFolder(folder));
      console.log('locked');
    } catch (error) {
      console.log(error.message);
    }
  }
`;

function startLocker() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', LOCKER]);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const lock = async (folder: string) => {
    child.stdin.write(`${folder}\n`);
    return (await answers.next()).value;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  return { lock, kill };
}

describe('the lock of a data folder', () => {
  it('goes to exactly one of two processes that ask at once', async ({ folder }) => {
    const lockers = [startLocker(), startLocker()];
    for (let round = 0; round < ROUNDS; round += 1) {
      const data = join(folder, String(round));
      const answers = await Promise.all(lockers.map(({ lock }) => lock(data)));
      expect(answers.toSorted()).toEqual([expect.stringContaining('already'), 'locked']);
    }
    await Promise.all(lockers.map(({ kill }) => kill()));
  });

  it('ends with its process, even if that is killed', async ({ folder }) => {
    const { lock, kill } = startLocker();
    expect(await lock(folder)).toBe('locked');
    expect(() => lockFolder(folder)).toThrow('already');
    await kill();
    lockFolder(folder)();
  });
});
