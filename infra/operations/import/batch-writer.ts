import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import type { Item } from '../../../functions/store/items.ts';
import { nameOf, ReportableError } from '../../cli/failure.ts';
import { delayed } from '../../cli/signals.ts';
import type { Table } from '../../cli/table.ts';
import { jobUpdate } from './job-update.ts';
import type { StoredRecord } from './records.ts';

/** The most items of one BatchWriteItem (DynamoDB API Reference, BatchWriteItem). */
const MAX_ITEMS = 25;
/**
 * The most bytes of lines in one batch. A request may have 16 MB; it names a type with each value, which
 * makes the shortest values (`{}` becomes `{"M":{}}`) three times as long as in the line.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/** How long the answer to a batch may take after the signal, in milliseconds. */
const GRACE_MS = 2000;

/** How long to keep trying to write what DynamoDB leaves unprocessed. */
export interface Backoff {
  /** The most attempts in a row that write nothing. */
  attempts: number;
  /** The longest wait after an attempt that wrote something; it doubles with each that did not. */
  baseMs: number;
  /** The upper limit of that wait. */
  capMs: number;
}

const BACKOFF: Backoff = { attempts: 10, baseMs: 100, capMs: 5000 };

/** When to stop trying. */
export interface WriterOptions {
  backoff?: Backoff | undefined;
  signal?: AbortSignal | undefined;
}

/** DynamoDB wrote nothing in as many attempts in a row as are made. */
export class TableBusy extends ReportableError {
  override readonly name = 'TableBusy';

  constructor(attempts: number, cause: Error | undefined) {
    const last = cause === undefined ? 'unprocessed items' : nameOf(cause);
    super(
      `DynamoDB wrote nothing in ${attempts} attempts in a row. The last answer: ${last}. Try again later.`,
      { cause },
    );
  }
}

/** The writer stopped before all records were written; `cause` says why. */
export class WriteStopped extends Error {
  override readonly name = 'WriteStopped';
}

interface Pending extends StoredRecord {
  line: number;
}

/**
 * Writes records in the order of their lines, 25 at a time: applications by one BatchWriteItem, jobs by
 * an UpdateItem each, which keeps what guards them from late requests. One batch is under way at a time,
 * and it never has two records with one key, which BatchWriteItem rejects. So the last of several records
 * with a key stays, and after a failure nothing is unwritten before the line that it names.
 */
export class BatchWriter {
  /** How many records have been written. */
  readonly written = { job: 0, application: 0 };
  readonly #table: Table;
  readonly #backoff: Backoff;
  readonly #signal: AbortSignal | undefined;
  /** Aborts the attempt under way. */
  readonly #abandon: AbortSignal | undefined;
  #batch = new Map<string, Pending>();
  #bytes = 0;

  constructor(table: Table, { backoff = BACKOFF, signal }: WriterOptions = {}) {
    this.#table = table;
    this.#backoff = backoff;
    this.#signal = signal;
    this.#abandon = signal && delayed(signal, GRACE_MS);
  }

  /** The line of the first record that was added and is not written, if there is one. */
  get firstUnwritten(): number | undefined {
    return this.#batch.values().next().value?.line;
  }

  /**
   * Adds the record of a line that has `bytes` bytes, after writing the batch if it has no more room.
   * @throws WriteStopped
   */
  async add(record: StoredRecord, line: number, bytes: number): Promise<void> {
    const key = keyOf(record.item);
    const isFull = this.#batch.size === MAX_ITEMS || this.#bytes + bytes > MAX_BYTES;
    if (isFull || this.#batch.has(key)) await this.flush();
    this.#batch.set(key, { ...record, line });
    this.#bytes += bytes;
  }

  /**
   * Writes what was added; if the signal is aborted, makes one attempt, which must be answered soon.
   * Waits between attempts for a random time below a limit that doubles ("full jitter": AWS Architecture Blog, "Exponential Backoff
   * And Jitter"), and starts the count again whenever an item was written.
   * @throws WriteStopped
   */
  async flush(): Promise<void> {
    const { attempts, baseMs, capMs } = this.#backoff;
    for (let failed = 0; this.#batch.size > 0; ) {
      const failure = await this.#attempt();
      failed = failure === undefined ? 0 : failed + 1;
      if (failed === attempts) {
        const cause = new TableBusy(attempts, failure?.cause);
        throw new WriteStopped(cause.message, { cause });
      }
      if (this.#batch.size > 0 && this.#signal?.aborted) {
        throw new WriteStopped('Stopped between two attempts.', { cause: this.#signal.reason });
      }
      if (this.#batch.size > 0) await sleep(Math.random() * Math.min(capMs, baseMs * 2 ** failed));
    }
    this.#bytes = 0;
  }

  /** Sends the batch once and keeps what is unprocessed; returns the failure if nothing was written. */
  async #attempt(): Promise<{ cause: Error | undefined } | undefined> {
    const { job: jobs = [], application: applications = [] } = Object.groupBy(
      this.#batch.values(),
      ({ kind }) => kind,
    );
    const writes = jobs.map(({ item }) => this.#writeJob(item));
    if (applications.length > 0) writes.push(this.#writeApplications(applications));
    const outcomes = await Promise.allSettled(writes);
    const written = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : [],
    );
    for (const key of written) this.#settle(key);
    const causes: unknown[] = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    );
    // If it can process no item at all, DynamoDB answers with an error instead of a list.
    const temporary = causes.filter(isSdkError).filter(isTemporary);
    if (temporary.length < causes.length) {
      const cause = causes.find((error) => !temporary.some((other) => other === error));
      throw new WriteStopped('DynamoDB rejected a batch.', { cause });
    }
    return written.length > 0 ? undefined : { cause: temporary[0] };
  }

  /** Writes a job; returns its key. */
  async #writeJob(item: Item): Promise<string[]> {
    await this.#table.client.send(
      jobUpdate(this.#table.name, item),
      this.#abandon && { abortSignal: this.#abandon },
    );
    return [keyOf(item)];
  }

  /** Writes applications; returns the keys of those that were written. */
  async #writeApplications(records: readonly StoredRecord[]): Promise<string[]> {
    const requests = records.map(({ item: Item }) => ({ PutRequest: { Item } }));
    const { UnprocessedItems: left } = await this.#table.client.send(
      new BatchWriteCommand({ RequestItems: { [this.#table.name]: requests } }),
      this.#abandon && { abortSignal: this.#abandon },
    );
    const unprocessed = Object.values(left ?? {}).flat();
    const keys = new Set(unprocessed.map((request) => keyOf(request.PutRequest?.Item)));
    return records.map(({ item }) => keyOf(item)).filter((key) => !keys.has(key));
  }

  /** Counts a record that was written, and removes it from the batch. */
  #settle(key: string): void {
    const record = this.#batch.get(key);
    if (record !== undefined) this.written[record.kind] += 1;
    this.#batch.delete(key);
  }
}

/** The key of an item in one string: neither part holds a space. */
const keyOf = (item: Partial<Item> = {}) => `${item.pk} ${item.sk}`;

const isSdkError = (error: unknown): error is SdkError => error instanceof Error;

/** Whether another attempt may succeed; the signal, which aborts the last one, decides if there is one. */
const isTemporary = (error: SdkError) =>
  error.name === 'AbortError' ||
  isThrottlingError(error) ||
  isTransientError(error) ||
  isServerError(error);
