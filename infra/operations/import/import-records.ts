import { addAbortSignal, type Readable } from 'node:stream';
import { ReportableError } from '../../cli/failure.ts';
import type { Table } from '../../cli/table.ts';
import { type Backoff, BatchWriter, WriteStopped } from './batch-writer.ts';
import { hintOf } from './file-format.ts';
import { type Line, linesOf, MAX_LINE_BYTES } from './lines.ts';
import { readRecord } from './records.ts';

/** The outcome of an import, by lines; blank lines do not count. */
export interface ImportCounts {
  /** Lines of jobs written; several lines of one job count each. */
  jobs: number;
  /** Lines of applications written, likewise. */
  applications: number;
  /** Lines refused. */
  refused: number;
}

/** What to import, and into what. */
export interface ImportOptions {
  /** Records, one JSON object a line, in UTF-8. */
  input: Readable;
  table: Table;
  /** The line to start at; by default the first, 1. The lines before it are skipped unread. */
  fromLine?: number | undefined;
  /** Called after each line with its number and the bytes read so far. */
  onProgress?: (bytes: number, line: number) => void;
  /**
   * Called for each line that is refused; its result is awaited. The reason names members and never
   * shows a value.
   */
  onRefused?: (line: number, reason: string) => unknown;
  /** How long to keep trying while the table is busy; by default some twenty seconds. */
  backoff?: Backoff;
  /** Days after `created_at` at which an application without `expires_at` expires; else it does not. */
  expireAfterDays?: number | undefined;
  /**
   * Stops the import with its reason as the cause: after the batch that is being written, or a few
   * seconds later if that is not answered.
   */
  signal?: AbortSignal | undefined;
}

/** The import stopped before its end; `cause` is the failure to read or write, or the signal's reason. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  /** What was done until then. */
  readonly counts: ImportCounts;
  /** The line to continue from: all records before it are written, and some after it may be. */
  readonly line: number;

  constructor(counts: ImportCounts, line: number, cause: unknown) {
    super(`The import stopped: continue from line ${line}.`, { cause });
    this.counts = counts;
    this.line = line;
  }
}

/** The file holds no records, one on each line; the message says what it looks like. */
export class WrongFormat extends ReportableError {
  override readonly name = 'WrongFormat';
}

/**
 * Writes the records of a stream to the table, in their order, and skips invalid lines. A record
 * replaces the one with the same key, so the same file may be imported again; the version of a job grows
 * each time. Holds one batch of
 * records at a time, whatever the length of the stream.
 * @throws ImportStopped if the stream cannot be read, if the table rejects a write or stays busy, or if
 *   the signal is aborted.
 * @throws WrongFormat if the first line shows that the stream is in another format.
 */
export async function importRecords(options: ImportOptions): Promise<ImportCounts> {
  const { input, table, onProgress, onRefused, expireAfterDays, signal, fromLine = 1 } = options;
  const writer = new BatchWriter(table, options);
  // Otherwise the import would wait forever for input that does not come.
  if (signal !== undefined) addAbortSignal(signal, input);
  let refused = 0;
  let reached = fromLine - 1;
  try {
    for await (const line of linesOf(input)) {
      signal?.throwIfAborted();
      if (line.number < fromLine) continue;
      if (line.number === 1) checkFormat(line);
      const reason = await store(line, writer, expireAfterDays);
      if (reason !== undefined) {
        refused += 1;
        await onRefused?.(line.number, reason);
      }
      reached = line.number;
      onProgress?.(line.end, line.number);
    }
    await writer.flush();
  } catch (error) {
    // Errors that a callback throws go to the caller as they are.
    const isStop = error === input.errored || error === signal?.reason;
    if (!isStop && !(error instanceof WriteStopped)) throw error;
    const line = writer.firstUnwritten ?? reached + 1;
    throw new ImportStopped(countsOf(writer, refused), line, causeOf(error));
  }
  return countsOf(writer, refused);
}

/** The cause behind a `WriteStopped`, or behind the error of a stream that the signal aborted. */
function causeOf(error: unknown): unknown {
  const isWrapping =
    error instanceof WriteStopped || (error instanceof Error && error.name === 'AbortError');
  return isWrapping ? error.cause : error;
}

function checkFormat({ bytes }: Line): void {
  const hint = bytes && hintOf(bytes);
  if (hint !== undefined) throw new WrongFormat(`line 1: ${hint}`);
}

/** Adds the record of a line to the writer; returns the reason if the line is refused. */
async function store(
  { bytes, number }: Line,
  writer: BatchWriter,
  expireAfterDays?: number,
): Promise<string | undefined> {
  if (bytes === undefined) return `the line is longer than ${MAX_LINE_BYTES} bytes`;
  const record = readRecord(bytes, expireAfterDays);
  if (record === undefined) return undefined;
  if ('reason' in record) return record.reason;
  await writer.add(record, number, bytes.length);
  return undefined;
}

function countsOf({ written }: BatchWriter, refused: number): ImportCounts {
  return { jobs: written.job, applications: written.application, refused };
}
