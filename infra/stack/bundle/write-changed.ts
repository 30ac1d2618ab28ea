import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const READABLE = 0o644;

/**
 * Replaces a built file atomically, because a test or `npm start` may be reading it. Readable by everybody, whatever
 * the umask: the CDK's archives keep the mode, and Lambda runs functions as another user.
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
