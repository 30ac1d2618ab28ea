import { once } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openFile, pathOf } from '../../command/operator-files.ts';
import type { CommandIo } from '../../command/run-command.ts';

/**
 * @returns `share`, which says how much was read, such as `, 42 % of the file read` (empty for standard input), and
 *   `isFile`, false for a pipe or a device.
 * @throws UsageError if the file cannot be opened.
 */
export async function openSource(name: string, io: CommandIo) {
  if (name === '-') {
    return { input: await decompressed(io.stdin), isFile: false, share: () => '' };
  }
  const handle = await openFile(pathOf(name, io), 'r');
  const stats = await handle.stat();
  const { size } = stats;
  const file = handle.createReadStream();
  const share = () =>
    size > 0 ? `, ${Math.floor((100 * file.bytesRead) / size)} % of the file read` : '';
  return { input: await decompressed(file), isFile: stats.isFile(), share };
}

/** Recognizes gzip by its first two bytes (RFC 1952, section 2.3.1). */
async function decompressed(source: Readable): Promise<Readable> {
  await once(source, 'readable');
  const head: Buffer | null = source.read(2);
  if (head !== null) source.unshift(head);
  if (head?.[0] !== 0x1f || head[1] !== 0x8b) return source;
  // `pipeline` passes the source's errors on to the returned stream, so the callback has nothing to do.
  return pipeline(source, createGunzip(), () => undefined);
}
