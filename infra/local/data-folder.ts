import { accessSync, chmodSync, constants, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileIn, runningOn, withAdvice } from '../command/service-state.ts';

/** Other users of the machine must not read the data. */
export const OWNER_ONLY = { folder: 0o700, file: 0o600 };

const SQLITE_BUSY = 5;

/**
 * Reserves the data for one service. SQLite holds the lock, so the operating system releases it with the process.
 * @returns a function that releases the lock.
 * @throws Error that says what to do if another service uses the folder, or if it cannot be used.
 */
export function lockFolder(directory: string): () => void {
  return withAdvice(() => {
    mkdirSync(directory, { recursive: true, mode: OWNER_ONLY.folder });
    // SQLite's own error would not name the folder.
    accessSync(directory, constants.W_OK);
    const file = join(directory, 'lock');
    const lock = new DatabaseSync(file);
    try {
      lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) {
        throw error;
      }
      lock.close();
      const pid = runningOn(directory)?.pid;
      const runningService = pid === undefined ? '' : ` (process ${pid})`;
      throw new Error(
        `The service is already starting or running on this data${runningService}. Stop it first.`,
      );
    }
    chmodSync(file, OWNER_ONLY.file);
    return () => {
      rmSync(fileIn(directory), { force: true });
      lock.close();
    };
  });
}
