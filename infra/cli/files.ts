import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandIo, WrongUsage } from './command.ts';

/** The path of a file that the operator named, relative to the folder of the operator. */
export function pathOf(name: string, { env }: Pick<CommandIo, 'env'>): string {
  // npm runs a script in the project's folder, wherever it was typed.
  return resolve(env.INIT_CWD ?? '.', name);
}

/**
 * Writes a file that is new. It never overwrites a file and never creates a folder, because either name
 * may be a typing error.
 * @param mode the permissions, as for chmod; by default those of any new file
 * @throws WrongUsage if the file exists, or if it cannot be written.
 */
export async function writeNew(path: string, text: string, mode?: number): Promise<void> {
  await writeFile(path, text, { flag: 'wx', ...(mode !== undefined && { mode }) }).catch(
    (error) => {
      const why = error.code === 'EEXIST' ? 'already exists' : `cannot be written (${error.code})`;
      throw new WrongUsage(`The file ${path} ${why}.`);
    },
  );
}
