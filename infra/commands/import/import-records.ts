import { addAbortSignal, type Readable } from 'node:stream';
import { attributes } from '../../../functions/store/keys.ts';
import type { ReadOptions, StoredRecord } from '../../writer/records.ts';
import { type Line, linesOf } from './lines.ts';
import { NOT_JSON, readLine } from './read-line.ts';

/** The limit for consecutive lines that are not JSON objects. At this limit, the import stops. */
const MAX_UNREADABLE_LINES = 100;
const ANOTHER_FILE = `Is it the right file? ${MAX_UNREADABLE_LINES} lines in a row are not JSON objects.`;

/** The counts of an import that has written nothing. If several lines have the same key, each line is counted. */
export const NONE_WRITTEN = {
  jobs: 0,
  applications: 0,
  /** How many of the applications have already expired. */
  expired: 0,
  /** The tombstones of removals and erasures. */
  tombstones: 0,
  /** The records that were not written, because the table has a newer item or already has the job. */
  older: 0,
};
export type Written = Readonly<typeof NONE_WRITTEN>;

/** Returns the counts after one more record was written. */
export function countRecord(written: Written, { kind, item }: StoredRecord): Written {
  if (kind === 'job') return { ...written, jobs: written.jobs + 1 };
  if (kind !== 'application') return { ...written, tombstones: written.tombstones + 1 };
  const hasExpired = Number(item[attributes.timeToLive]) * 1000 <= Date.now();
  return {
    ...written,
    applications: written.applications + 1,
    expired: written.expired + Number(hasExpired),
  };
}

/** The error of an import that stopped. Its cause is the reason, and its message is the message of the cause. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  /** The line to continue from. The import has finished every line before this line. */
  readonly nextLine: number;

  constructor(cause: unknown, nextLine: number) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.nextLine = nextLine;
  }
}

/** A writer of the records of an import. */
export interface RecordWriter {
  readonly written: Written;
  /** The line of the first record that was added and is not yet written. */
  readonly firstUnwritten?: number | undefined;
  /** A signal that is aborted when the first write fails. */
  readonly failed?: AbortSignal;
  /**
   * Takes the record of the given line, which has `bytes` bytes. If there is no room, waits for earlier writes first.
   */
  add(record: StoredRecord, line: number, bytes: number): Promise<void>;
  /** Writes all records that were added, and waits until every write has ended. @throws the first failure. */
  flush(): Promise<void>;
}

/** The input, writer and options of an import. */
export interface ImportOptions extends ReadOptions {
  input: Readable;
  /** Splits the input into lines. By default, each line is a JSON object in UTF-8. */
  split?: ((input: Readable) => AsyncIterable<Line>) | undefined;
  writer: RecordWriter;
  /** The line to start at; by default 1, the first line. */
  fromLine?: number | undefined;
  /**
   * Called for each refused line. The import waits for the result. The reason names members of the record, and never
   * shows a value.
   */
  onRefused?: (line: number, reason: string, refused: Line) => unknown;
  /** Stops reading. The import then writes what it has read, and fails with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Gives the records of a stream to the writer, and skips invalid lines. A record replaces the stored record with the
 * same key, so the same file can be imported again. The import reads only as far as the writer has room. It therefore
 * needs the same memory for a stream of any length. If the import stops, it writes what it has read, unless a write
 * has failed.
 * @throws ImportStopped with the error of the stream, the writer or `onRefused`, or with the reason of the signal.
 */
export async function importRecords(options: ImportOptions): Promise<void> {
  const { input, split = linesOf, writer, signal, fromLine = 1 } = options;
  // If the import is stopped or a write fails, end the input too. Otherwise, the import could wait forever for a line
  // that does not come.
  for (const end of [signal, writer.failed]) if (end) addAbortSignal(end, input);
  let nextLine = 1;
  let unreadable = 0;
  const take = async (line: Line) => {
    const read = line.bytes === undefined ? line : readLine(line.bytes, options);
    if (read === undefined) return;
    if (!('reason' in read)) {
      unreadable = 0;
      return writer.add(read, nextLine, line.bytes?.length ?? 0);
    }
    unreadable = read.reason === NOT_JSON ? unreadable + 1 : 0;
    await options.onRefused?.(nextLine, read.reason, line);
    if (unreadable === MAX_UNREADABLE_LINES) throw new Error(ANOTHER_FILE);
  };
  const readLines = async () => {
    for await (const line of split(input)) {
      signal?.throwIfAborted();
      if (nextLine >= fromLine) await take(line);
      nextLine += 1;
    }
  };
  try {
    await readLines().finally(() => writer.flush());
  } catch (error) {
    // An aborted stream fails with its own error. The signal's reason says more.
    const cause = signal?.aborted ? signal.reason : error;
    throw new ImportStopped(cause, writer.firstUnwritten ?? Math.max(nextLine, fromLine));
  }
}
