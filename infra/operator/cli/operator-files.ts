import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { explain } from './failure.ts';
import { type CommandIo, UsageError } from './run-command.ts';

/** Returns the path of a file that the operator named, relative to the operator's working folder. */
export function pathOf(name: string, { env }: Pick<CommandIo, 'env'>): string {
  // npm runs every script in the project's folder, and keeps the operator's folder in INIT_CWD.
  return resolve(env.INIT_CWD ?? '.', name);
}

/**
 * Opens a file that the operator named.
 * @throws UsageError if the file cannot be opened; the message has the path.
 */
export const openFile = (path: string, flags: string, mode?: number): Promise<FileHandle> =>
  open(path, flags, mode).catch((error) => {
    throw new UsageError(explain(error));
  });

/** The mode of a file with personal data, as for chmod. */
const OWNER_ONLY = 0o600;

/**
 * Creates a file for personal data, which only its owner may read. The function never overwrites a file and never
 * creates a folder, because the operator may have mistyped the path.
 * @throws UsageError if the file exists, or if it cannot be created.
 */
export const createFile = (name: string, io: Pick<CommandIo, 'env'>): Promise<FileHandle> =>
  openFile(pathOf(name, io), 'wx', OWNER_ONLY);
