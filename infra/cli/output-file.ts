import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WrongUsage } from './command.ts';

/**
 * Writes what an option --output has named, relative to where the operator is. No file is written over
 * another, and no folder is made: either may be a slip.
 * @param mode who may read it, as chmod has it; by default what the system gives a new file
 * @throws WrongUsage where the file exists, or cannot be written.
 */
export async function writeNew(name: string, text: string, mode?: number): Promise<void> {
  // npm runs a script in the project's folder, wherever it was typed.
  const path = resolve(process.env.INIT_CWD ?? '.', name);
  await writeFile(path, text, { flag: 'wx', ...(mode !== undefined && { mode }) }).catch(
    (error) => {
      const why = error.code === 'EEXIST' ? 'exists already' : `cannot be written (${error.code})`;
      throw new WrongUsage(`The file ${path} ${why}.`);
    },
  );
}
