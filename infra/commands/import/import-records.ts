import { addAbortSignal, type Readable } from 'node:stream';
import { attributes } from '../../../functions/store/keys.ts';
import type { ReadOptions, StoredRecord } from '../../writer/records.ts';
import { type Line, linesOf } from './lines.ts';
import { NOT_JSON, readLine } from './read-line.ts';

/** So many lines in a row that are not JSON objects show that the file is another one. */
const MOST_UNREADABLE = 100;
const ANOTHER_FILE = `Is it the right file? ${MOST_UNREADABLE} lines in a row are not JSON objects.`;

/** How far an import is. Several lines of one record count each. */
export const newProgress = () => ({
  /** The line that was read last. */
  line: 0,
  refused: 0,
  /** What was written. */
  jobs: 0,
  applications: 0,
  /** The applications among them that have already expired. */
  expired: 0,
  /** The tombstones of removals and erasures. */
  tombstones: 0,
  /** What was not written, because something newer is stored. */
  older: 0,
});
export type Progress = ReturnType<typeof newProgress>;

/** Counts a record that was written. */
export function countWritten(progress: Progress, { kind, item }: StoredRecord): void {
  if (kind !== 'application') {
    progress[kind === 'job' ? 'jobs' : 'tombstones'] += 1;
    return;
  }
  progress.applications += 1;
  if (Number(item[attributes.timeToLive]) * 1000 <= Date.now()) progress.expired += 1;
}

/** Where an import writes its records. */
export interface RecordWriter {
  /** The line of the first record that was added and is not written, if there is one. */
  readonly firstUnwritten?: number | undefined;
  /** Aborted by the first write that fails. */
  readonly failed?: AbortSignal;
  /** Takes the record of a line that has `bytes` bytes, and writes earlier ones if there is no room for it. */
  add(record: StoredRecord, line: number, bytes: number): Promise<void>;
  /** Writes all that was added, and waits until nothing is being written. @throws the first failure. */
  flush(): Promise<void>;
}

/** What to import, and where to. */
export interface ImportOptions extends ReadOptions {
  /** Records, by default one JSON object a line, in UTF-8. */
  input: Readable;
  /** Splits the input into lines. */
  split?: ((input: Readable) => AsyncIterable<Line>) | undefined;
  writer: RecordWriter;
  /** The line to start at; by default the first, 1. The lines before it are skipped unread. */
  fromLine?: number | undefined;
  /** Kept up to date, also if the import fails. */
  progress?: Progress;
  /**
   * Called for each line that is refused; its result is awaited. The reason names members and never
   * shows a value.
   */
  onRefused?: (line: number, reason: string, refused: Line) => unknown;
  /** Stops reading. The import writes what it has read, and fails with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Gives the records of a stream to the writer, and skips invalid lines. A record replaces the one with the
 * same key, so the same file may be imported again. Reads no further than the writer has room, whatever
 * the length of the stream. Whatever ends the import, it writes what it has read, unless a write fails.
 * @throws the error of the stream, the writer or a callback, or the reason of the signal.
 */
export async function importRecords(options: ImportOptions): Promise<void> {
  const { input, split = linesOf, writer, signal, fromLine = 1 } = options;
  const { progress = newProgress() } = options;
  // Otherwise the import would wait forever for input that does not come.
  for (const end of [signal, writer.failed]) if (end) addAbortSignal(end, input);
  let unreadable = 0;
  const take = async (line: Line, number: number) => {
    const read = line.bytes === undefined ? line : readLine(line.bytes, options);
    if (read === undefined) return;
    if (!('reason' in read)) {
      unreadable = 0;
      return writer.add(read, number, line.bytes?.length ?? 0);
    }
    progress.refused += 1;
    unreadable = read.reason === NOT_JSON ? unreadable + 1 : 0;
    await options.onRefused?.(number, read.reason, line);
    if (unreadable === MOST_UNREADABLE) throw new Error(ANOTHER_FILE);
  };
  const read = async () => {
    for await (const line of split(input)) {
      signal?.throwIfAborted();
      const number = progress.line + 1;
      if (number >= fromLine) await take(line, number);
      progress.line = number;
    }
  };
  try {
    await read().finally(() => writer.flush());
  } catch (error) {
    // A signal makes the stream fail with an error of its own.
    throw signal?.aborted ? signal.reason : error;
  }
}
