import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { explain } from './failure.ts';
import { type CommandIo, UsageError } from './run-command.ts';

/** Resolves against the folder where the operator ran npm (INIT_CWD). */
export function pathOf(name: string, { env }: Pick<CommandIo, 'env'>): string {
  return resolve(env.INIT_CWD ?? '.', name);
}

/** @throws UsageError with the path if the file cannot be opened. */
export const openFile = (path: string, flags: string, mode?: number): Promise<FileHandle> =>
  open(path, flags, mode).catch((error) => {
    throw new UsageError(explain(error));
  });

/**
 * For personal data: only the owner may read it. Never overwrites a file or creates a folder, because the path may be
 * mistyped.
 * @throws UsageError if the file exists or cannot be created.
 */
export const createFile = (name: string, io: Pick<CommandIo, 'env'>): Promise<FileHandle> =>
  openFile(pathOf(name, io), 'wx', 0o600);
