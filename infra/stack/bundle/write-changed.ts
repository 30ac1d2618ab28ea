import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const READABLE = 0o644;

/**
 * Writes a built file if the contents have changed. The function replaces the file atomically, because a build may
 * run while a test or the local service reads the output of an earlier build.
 *
 * Everybody may read the file, whatever the umask. The CDK's archives keep the modes of files, and Lambda runs a
 * function as a user who does not own the code.
 */
export async function writeChanged(path: string, contents: Uint8Array): Promise<void> {
  const existing = await readFile(path).catch(() => undefined);
  if (existing?.equals(contents)) return chmod(path, READABLE);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, contents);
  await chmod(temporary, READABLE);
  await rename(temporary, path);
}
