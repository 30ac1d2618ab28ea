import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import type { Item } from '../../../functions/store/items.ts';
import { nameOf, ReportableError } from '../../cli/failure.ts';
import type { Table } from '../../cli/table.ts';
import { writeJob } from './job-update.ts';
import { countWritten, type RecordWriter, type Written } from './record-writer.ts';
import type { StoredRecord } from './records.ts';

/** The most items of one BatchWriteItem (DynamoDB API Reference, BatchWriteItem). */
const MAX_ITEMS = 25;
/**
 * How many applications count for as much as a job, which takes a request of its own: with so many, the
 * batches under way need no more than the SDK's 50 connections.
 */
const JOB_SHARE = 5;
/**
 * The most bytes of lines in one batch. A request may have 16 MB; it names a type with each value, which
 * makes the shortest values (`{}` becomes `{"M":{}}`) three times as long as in the line.
 */
const MAX_BYTES = 4 * 1024 * 1024;
/** How many batches are under way at once, and how many bytes of lines they may have together. */
const MAX_UNDER_WAY = 8;
const MAX_BYTES_UNDER_WAY = 8 * 1024 * 1024;

/** How long to keep trying to write what DynamoDB leaves unprocessed. */
export interface Backoff {
  /** The most attempts in a row during which nothing at all is written. */
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
  /** Stops the writer after the attempts under way. */
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

/** Records that are written together, by key, in the order of their lines. */
interface Batch {
  records: Map<string, StoredRecord & { line: number }>;
  /** How full it is: `MAX_ITEMS` at most. */
  share: number;
  bytes: number;
  /** Whether an attempt got no response, so that DynamoDB may have written records that are left. */
  isUncertain: boolean;
}

const emptyBatch = (): Batch => ({
  records: new Map(),
  share: 0,
  bytes: 0,
  isUncertain: false,
});

/**
 * Writes records in batches, several at a time: applications by one BatchWriteItem, jobs by an UpdateItem
 * each, which keeps what guards them from late requests. A record waits until the one with the same key
 * that was added before it is written, so the last of several records with a key stays. After a failure
 * nothing is unwritten before the line that the writer names.
 */
export class BatchWriter implements RecordWriter {
  readonly written: Written = { job: 0, application: 0, expired: 0 };
  readonly #table: Table;
  readonly #backoff: Backoff;
  /** Aborted by the first failure. */
  readonly #failure = new AbortController();
  /** Aborted by it too, or by the operator. */
  readonly #stop: AbortSignal;
  #filling = emptyBatch();
  /** The batches that are being written; those that failed remain. The promises never reject. */
  readonly #underWay = new Map<Batch, Promise<void>>();

  constructor(table: Table, { backoff = BACKOFF, signal }: WriterOptions = {}) {
    this.#table = table;
    this.#backoff = backoff;
    this.#stop = AbortSignal.any([this.#failure.signal, ...(signal ? [signal] : [])]);
  }

  get failure(): AbortSignal {
    return this.#failure.signal;
  }

  get firstUnwritten(): number | undefined {
    const lines = [...this.#underWay.keys(), this.#filling].flatMap(
      ({ records }) => records.values().next().value?.line ?? [],
    );
    return lines.length > 0 ? Math.min(...lines) : undefined;
  }

  get uncertain(): number {
    return [...this.#underWay.keys()]
      .filter(({ isUncertain }) => isUncertain)
      .reduce((sum, { records }) => sum + records.size, 0);
  }

  /** @throws WriteStopped */
  async add(record: StoredRecord, line: number, bytes: number): Promise<void> {
    const key = keyOf(record.item);
    const share = record.kind === 'job' ? JOB_SHARE : 1;
    const { records, ...size } = this.#filling;
    const isFull = size.share + share > MAX_ITEMS || size.bytes + bytes > MAX_BYTES;
    // BatchWriteItem rejects two items with one key.
    if (isFull || records.has(key)) await this.#send();
    await [...this.#underWay].find(([other]) => other.records.has(key))?.[1];
    this.failure.throwIfAborted();
    const batch = this.#filling;
    batch.records.set(key, { ...record, line });
    batch.share += share;
    batch.bytes += bytes;
  }

  /**
   * Writes all that was added; if the signal is aborted, makes one attempt.
   * @throws WriteStopped
   */
  async flush(): Promise<void> {
    if (this.#filling.records.size > 0) await this.#send();
    await this.settled();
    this.failure.throwIfAborted();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /** Begins to write the batch as soon as there is room for it. */
  async #send(): Promise<void> {
    const batch = this.#filling;
    while (!this.#hasRoom(batch)) {
      await Promise.race(this.#underWay.values());
      this.failure.throwIfAborted();
    }
    this.#filling = emptyBatch();
    const writing = this.#write(batch).then(
      () => void this.#underWay.delete(batch),
      (error) => this.#failure.abort(error),
    );
    this.#underWay.set(batch, writing);
  }

  #hasRoom({ bytes }: Batch): boolean {
    const total = [...this.#underWay.keys()].reduce((sum, other) => sum + other.bytes, bytes);
    const { size } = this.#underWay;
    return size === 0 || (size < MAX_UNDER_WAY && total <= MAX_BYTES_UNDER_WAY);
  }

  /**
   * Writes a batch. Waits between attempts for a random time below a limit that doubles ("full jitter":
   * AWS Architecture Blog, "Exponential Backoff And Jitter"). The count of attempts starts again whenever
   * an item of any batch was written.
   * @throws WriteStopped
   */
  async #write(batch: Batch): Promise<void> {
    const { attempts, baseMs, capMs } = this.#backoff;
    let failed = 0;
    let idle = 0;
    let seen = this.#total;
    for (;;) {
      const failure = await this.#attempt(batch);
      if (batch.records.size === 0) return;
      failed = failure === undefined ? 0 : failed + 1;
      idle = this.#total > seen ? 0 : idle + 1;
      seen = this.#total;
      if (idle === attempts) {
        const cause = new TableBusy(attempts, failure?.cause);
        throw new WriteStopped(cause.message, { cause });
      }
      const waitMs = Math.random() * Math.min(capMs, baseMs * 2 ** failed);
      // It rejects if the writer stops, which the next line tells.
      await sleep(waitMs, undefined, { signal: this.#stop }).catch(() => undefined);
      if (this.#stop.aborted) {
        throw new WriteStopped('Stopped between two attempts.', { cause: this.#stop.reason });
      }
    }
  }

  get #total(): number {
    return this.written.job + this.written.application;
  }

  /** Sends the batch once and keeps what is unprocessed; returns the failure if nothing was written. */
  async #attempt(batch: Batch): Promise<{ cause: Error | undefined } | undefined> {
    const { records } = batch;
    const { job: jobs = [], application: applications = [] } = Object.groupBy(
      records.values(),
      ({ kind }) => kind,
    );
    const writes = jobs.map((record) => this.#writeJob(record));
    if (applications.length > 0) writes.push(this.#writeApplications(applications));
    const outcomes = await Promise.allSettled(writes);
    const written = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : [],
    );
    for (const key of written) {
      const record = records.get(key);
      if (record !== undefined) countWritten(this.written, record);
      records.delete(key);
    }
    const causes: unknown[] = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason] : [],
    );
    // If it can process no item at all, DynamoDB answers with an error instead of a list.
    const temporary = causes.filter(isSdkError).filter(isTemporary);
    if (temporary.some((error) => !isThrottlingError(error))) batch.isUncertain = true;
    if (temporary.length < causes.length) {
      const cause = causes.find((error) => !temporary.some((other) => other === error));
      throw new WriteStopped('DynamoDB rejected a batch.', { cause });
    }
    return written.length > 0 ? undefined : { cause: temporary[0] };
  }

  /** Writes a job; returns its key. */
  async #writeJob({ item, line }: { item: Item; line: number }): Promise<string[]> {
    await writeJob(this.#table, item, line);
    return [keyOf(item)];
  }

  /** Writes applications; returns the keys of those that were written. */
  async #writeApplications(records: readonly StoredRecord[]): Promise<string[]> {
    const requests = records.map(({ item: Item }) => ({ PutRequest: { Item } }));
    const { UnprocessedItems: left } = await this.#table.client.send(
      new BatchWriteCommand({ RequestItems: { [this.#table.name]: requests } }),
    );
    const unprocessed = Object.values(left ?? {}).flat();
    const keys = new Set(unprocessed.map((request) => keyOf(request.PutRequest?.Item)));
    return records.map(({ item }) => keyOf(item)).filter((key) => !keys.has(key));
  }
}

/** The key of an item in one string: neither part holds a space. */
const keyOf = (item: Partial<Item> = {}) => `${item.pk} ${item.sk}`;

const isSdkError = (error: unknown): error is SdkError => error instanceof Error;

/** Whether another attempt may succeed. One that was given up, because the operator ends the command, may. */
const isTemporary = (error: SdkError) =>
  error.name === 'AbortError' ||
  isThrottlingError(error) ||
  isTransientError(error) ||
  isServerError(error);
