import { addAbortSignal, type Readable } from 'node:stream';
import { ReportableError } from '../../cli/failure.ts';
import { counted } from '../../cli/output.ts';
import { WriteStopped } from './batch-writer.ts';
import { hintOf } from './file-format.ts';
import { type Line, linesOf, MAX_LINE_BYTES } from './lines.ts';
import type { RecordWriter } from './record-writer.ts';
import { readRecord } from './records.ts';

/** The outcome of an import, by lines; blank lines do not count. */
export interface ImportCounts {
  /** Lines of jobs written; several lines of one job count each. */
  jobs: number;
  /** Lines of applications written, likewise. */
  applications: number;
  /** Those among them that have already expired. */
  expired: number;
  /** Lines refused. */
  refused: number;
}

/** What to import, and where to. */
export interface ImportOptions {
  /** Records, one JSON object a line, in UTF-8. */
  input: Readable;
  writer: RecordWriter;
  /** The line to start at; by default the first, 1. The lines before it are skipped unread. */
  fromLine?: number | undefined;
  /** Called after each line with its number and the bytes read so far. */
  onProgress?: (bytes: number, line: number) => void;
  /**
   * Called for each line that is refused; its result is awaited. The reason names members and never
   * shows a value. The line has no newline; undefined if it is longer than `MAX_LINE_BYTES`.
   */
  onRefused?: (line: number, reason: string, bytes: Buffer | undefined) => unknown;
  /** Days after `created_at` at which an application without `expires_at` expires; else it does not. */
  expireAfterDays?: number | undefined;
  /**
   * Stops the import with its reason as the cause, after the batches that are being written.
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

  /** @param uncertain how many records from the line on may be written without being counted */
  constructor(counts: ImportCounts, line: number, cause: unknown, uncertain = 0) {
    const more = ` Up to ${counted(uncertain, 'more record')} may be written: DynamoDB did not respond.`;
    super(`The import stopped: continue from line ${line}.${uncertain > 0 ? more : ''}`, { cause });
    this.counts = counts;
    this.line = line;
  }
}

/** The file holds no records, one on each line; the message says what it looks like. */
export class WrongFormat extends ReportableError {
  override readonly name = 'WrongFormat';
}

/**
 * Gives the records of a stream to the writer, and skips invalid lines. A record replaces the one with the
 * same key, so the same file may be imported again. Reads no further than the writer has room, whatever
 * the length of the stream.
 * @throws ImportStopped if the stream cannot be read, if a record cannot be written, or if the signal is
 *   aborted.
 * @throws WrongFormat if the first line shows that the stream is in another format.
 */
export async function importRecords(options: ImportOptions): Promise<ImportCounts> {
  const { input, writer, onProgress, onRefused, expireAfterDays, signal, fromLine = 1 } = options;
  // Otherwise the import would wait forever for input that does not come.
  const stops = [signal, writer.failure].filter((stop) => stop !== undefined);
  if (stops.length > 0) addAbortSignal(AbortSignal.any(stops), input);
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
        await onRefused?.(line.number, reason, line.bytes);
      }
      reached = line.number;
      onProgress?.(line.end, line.number);
    }
    await writer.flush();
  } catch (error) {
    await writer.settled();
    // Errors that a callback throws go to the caller as they are.
    const isStop = error === input.errored || error === signal?.reason;
    if (!isStop && !(error instanceof WriteStopped)) throw error;
    const line = writer.firstUnwritten ?? reached + 1;
    throw new ImportStopped(countsOf(writer, refused), line, causeOf(error), writer.uncertain);
  }
  return countsOf(writer, refused);
}

/** The cause behind a `WriteStopped`, and behind the error of a stream that a signal aborted. */
function causeOf(error: unknown): unknown {
  const isWrapping =
    error instanceof WriteStopped || (error instanceof Error && error.name === 'AbortError');
  return isWrapping ? causeOf(error.cause) : error;
}

function checkFormat({ bytes }: Line): void {
  const hint = bytes && hintOf(bytes);
  if (hint !== undefined) throw new WrongFormat(`line 1: ${hint}`);
}

/** Adds the record of a line to the writer; returns the reason if the line is refused. */
async function store(
  { bytes, number }: Line,
  writer: RecordWriter,
  expireAfterDays?: number,
): Promise<string | undefined> {
  if (bytes === undefined) return `the line is longer than ${MAX_LINE_BYTES} bytes`;
  const record = readRecord(bytes, expireAfterDays);
  if (record === undefined) return undefined;
  if ('reason' in record) return record.reason;
  await writer.add(record, number, bytes.length);
  return undefined;
}

function countsOf({ written }: RecordWriter, refused: number): ImportCounts {
  const { job: jobs, application: applications, expired } = written;
  return { jobs, applications, expired, refused };
}
