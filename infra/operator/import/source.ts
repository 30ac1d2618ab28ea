import { once } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openFile, pathOf } from '../cli/operator-files.ts';
import type { CommandIo } from '../cli/run-command.ts';

/**
 * Opens the file that the operator named, or standard input for `-`. The returned `share` gives the percentage of the
 * file that was read, as text. For standard input, the text is empty.
 * @throws UsageError if the file cannot be opened.
 */
export async function openSource(name: string, io: CommandIo) {
  if (name === '-') return { input: await decompressed(io.stdin), share: () => '' };
  const handle = await openFile(pathOf(name, io), 'r');
  const { size } = await handle.stat();
  const file = handle.createReadStream();
  const share = () => (size > 0 ? ` (${Math.floor((100 * file.bytesRead) / size)} %)` : '');
  return { input: await decompressed(file), share };
}

/**
 * Decompresses a stream if it begins with the two bytes that identify gzip (RFC 1952, section 2.3.1). Returns any other
 * stream as it is.
 */
async function decompressed(source: Readable): Promise<Readable> {
  await once(source, 'readable');
  const head: Buffer | null = source.read(2);
  if (head !== null) source.unshift(head);
  if (head?.[0] !== 0x1f || head[1] !== 0x8b) return source;
  // `pipeline` passes an error of the source to the returned stream and its reader. The callback has nothing to do.
  return pipeline(source, createGunzip(), () => undefined);
}
