import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type CommandIo, WrongUsage } from '../../cli/command.ts';
import { pathOf } from '../../cli/files.ts';

/** What an import reads. */
export interface Source {
  /** The records; decompressed, if the name of the file ends with `.gz`. */
  input: Readable;
  /** The length of the file in bytes, if it is known. */
  bytes?: number;
  /** How many bytes of a compressed file have been read. */
  readBytes?: () => number;
}

/**
 * Opens the file that the operator named, or standard input for `-`.
 * @throws WrongUsage if there is no such file, or if it cannot be read.
 */
export async function openSource(name: string, io: CommandIo): Promise<Source> {
  if (name === '-') return { input: io.stdin };
  const path = pathOf(name, io);
  const handle: FileHandle = await open(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new WrongUsage(`The file ${path} ${why}.`);
  });
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    await handle.close();
    throw new WrongUsage(`${path} is a folder, not a file.`);
  }
  const file = handle.createReadStream();
  const length = stats.isFile() && { bytes: stats.size };
  if (!path.endsWith('.gz')) return { input: file, ...length };
  // An error of either stream ends the other, and reaches the reader of the second.
  const input = pipeline(file, createGunzip(), () => undefined);
  return { input, ...length, readBytes: () => file.bytesRead };
}
