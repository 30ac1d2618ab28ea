import { addAbortSignal, type Readable } from 'node:stream';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Backoff, BatchWriter, WriteStopped } from './batch-writer.ts';
import { type Line, linesOf, MAX_LINE_BYTES } from './lines.ts';
import { readRecord } from './records.ts';

/** What has become of the lines of a file, blank ones aside. */
export interface ImportCounts {
  /** Lines of jobs written; of several lines of one job, each counts. */
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
  client: DynamoDBDocumentClient;
  tableName: string;
  /** Called after each line with the bytes read so far. */
  onProgress?: (bytes: number) => void;
  /**
   * Called for each line that is refused; what it gives is awaited. The reason names members and never
   * shows a value.
   */
  onRefused?: (line: number, reason: string) => unknown;
  /** How long to go on trying where the table is busy; by default some twenty seconds. */
  backoff?: Backoff;
  /** Days after `created_at` at which an application without `expires_at` expires; else it does not. */
  expireAfterDays?: number | undefined;
  /** Stops the import when it is aborted, after the batch that is being written; its reason is the cause. */
  signal?: AbortSignal | undefined;
}

/** The import has stopped before its end; `cause` says why: reading or writing has failed, or the signal's reason. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  /** What had been done until then. */
  readonly counts: ImportCounts;
  /** The line to go on from: all records before it are written, and some after it may be. */
  readonly line: number;

  constructor(counts: ImportCounts, line: number, cause: unknown) {
    super(`The import has stopped; go on from line ${line}.`, { cause });
    this.counts = counts;
    this.line = line;
  }
}

/**
 * Writes the records of a stream to the table, in their order, and skips the lines that are wrong. A
 * record whose key exists replaces it, so the same file may be imported again. Holds one batch of
 * records at a time, whatever the length of the stream.
 * @throws ImportStopped where the stream cannot be read, the table refuses or stays busy, or
 *   the signal says so.
 */
export async function importRecords(options: ImportOptions): Promise<ImportCounts> {
  const { input, client, tableName, onProgress, onRefused, expireAfterDays, signal } = options;
  const writer = new BatchWriter(client, tableName, options);
  // Input that is quiet would hold it up for ever.
  if (signal !== undefined) addAbortSignal(signal, input);
  let refused = 0;
  let reached = 0;
  try {
    for await (const line of linesOf(input)) {
      signal?.throwIfAborted();
      const reason = await store(line, writer, expireAfterDays);
      if (reason !== undefined) {
        refused += 1;
        await onRefused?.(line.number, reason);
      }
      reached = line.number;
      onProgress?.(line.end);
    }
    await writer.flush();
  } catch (error) {
    // What a caller's own callback throws is the caller's.
    const isOurs = error === input.errored || error === signal?.reason;
    if (!isOurs && !(error instanceof WriteStopped)) throw error;
    const line = writer.firstUnwritten ?? reached + 1;
    throw new ImportStopped(countsOf(writer, refused), line, causeOf(error));
  }
  return countsOf(writer, refused);
}

/** What lies behind an error of ours, or of a stream that the signal has aborted. */
function causeOf(error: unknown): unknown {
  const isWrapping =
    error instanceof WriteStopped || (error instanceof Error && error.name === 'AbortError');
  return isWrapping ? error.cause : error;
}

/** Passes on the record of a line; gives the reason where there is none to pass on. */
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
