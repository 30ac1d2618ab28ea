import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The project's folder. */
export const root = new URL('../../', import.meta.url);

/**
 * Writes a built file where its contents have changed, and at once: a build may run while a test or
 * the local service reads what an earlier one has built.
 */
export async function writeChanged(path: string, contents: Uint8Array): Promise<void> {
  const existing = await readFile(path).catch(() => undefined);
  if (existing?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const written = `${path}.${process.pid}`;
  await writeFile(written, contents);
  await rename(written, path);
}
