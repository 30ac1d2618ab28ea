import { constants, type FileHandle, open } from 'node:fs/promises';
import type { Key } from '../../../functions/store/keys.ts';
import { WrongUsage } from '../../cli/command.ts';
import { OutputFile } from '../../cli/files.ts';
import { MAX_LINE_BYTES } from '../import/lines.ts';
import { readRecord } from '../import/records.ts';

const NEWLINE = 0x0a;
/** How much of the end of a file is searched for its last record. */
const TAIL_BYTES = 2 * MAX_LINE_BYTES;

/** The file of an export that stopped, opened to be continued. */
export interface ContinuedFile {
  file: OutputFile;
  /** The key of its last record; undefined if it is empty. */
  after: Key | undefined;
}

/**
 * Opens the file of an export that stopped, and cuts off what follows its last record: half a line, and
 * lines that an import would refuse, from which the key of the item is not certain.
 * @throws WrongUsage if there is no such file, or if it has no record at its end.
 */
export async function continueFile(path: string): Promise<ContinuedFile> {
  const handle: FileHandle = await open(path, constants.O_RDWR | constants.O_APPEND).catch(
    (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be opened (${error.code})`;
      throw new WrongUsage(`The file ${path} ${why}.`);
    },
  );
  const { size } = await handle.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - start);
  await handle.read(tail, 0, tail.length, start);
  const last = lastRecord(tail);
  if (last === undefined && size > 0) {
    await handle.close();
    throw new WrongUsage(`The file ${path} does not end with records of an export.`);
  }
  if (last !== undefined) await handle.truncate(start + last.end);
  return { file: new OutputFile(handle, path), after: last?.key };
}

/** The key of the last record in these bytes, and where its line ends. */
function lastRecord(bytes: Buffer): { key: Key; end: number } | undefined {
  for (let end = bytes.lastIndexOf(NEWLINE); end >= 0; ) {
    const before = end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
    const record = readRecord(bytes.subarray(before + 1, end));
    if (record !== undefined && 'item' in record) {
      const { pk, sk } = record.item;
      return { key: { pk, sk }, end: end + 1 };
    }
    end = before;
  }
  return undefined;
}
