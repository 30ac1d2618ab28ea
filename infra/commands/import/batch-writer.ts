import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import {
  createJobItem,
  putApplicationItem,
  removeApplicationItem,
} from '../../writer/conditional-writes.ts';
import type { StoredRecord } from '../../writer/records.ts';
import { ConcurrencyLimit, MAX_REQUESTS } from '../cli/concurrency-limit.ts';
import type { Table } from '../cli/table.ts';
import { countRecord, NONE_WRITTEN, type RecordWriter, type Written } from './import-records.ts';
import { writeJob } from './job-update.ts';

/** The maximum number of items in a request (DynamoDB API Reference, BatchWriteItem). */
const BATCH_ITEMS = 25;
/**
 * The number of applications that count as one of the `MAX_REQUESTS`. A full batch of 25 counts as five requests, so
 * that at most eight full batches (200 applications) are written at once.
 */
const APPLICATIONS_A_REQUEST = 5;
/**
 * The maximum number of bytes of the lines that are written at once, in one batch or in several. DynamoDB accepts
 * requests of up to 16 MB. A request is up to three times as long as its lines, because it names the type of each
 * value: `{},` becomes `{"M":{}},`. The longest request therefore has 12 MiB.
 */
const MAX_BYTES = 4 * 1024 * 1024;
const TIMES = {
  /** The longest pause before the writer sends again the items that DynamoDB left unprocessed. */
  pauseMs: 1000,
  /**
   * The time after which the writer sends a batch that is not full. If standard input stays open, the record that fills
   * the batch may never come.
   */
  waitMs: 1000,
};

export interface WriterOptions extends Partial<typeof TIMES> {
  /**
   * Whether each record is written by a request of its own, on the condition that nothing newer is stored
   * (`infra/writer`). An existing job then stays as it is.
   */
  keepsNewer?: boolean;
  /** Ends the retries of the items that DynamoDB left unprocessed. */
  signal?: AbortSignal | undefined;
}

type LineRecord = StoredRecord & { line: number };

/**
 * Writes many records at once. Applications are written in batches. Each job is written by an UpdateItem, which keeps
 * the attributes that protect the job from late requests. If two records have the same key, the writer begins the
 * second write only after the first has ended. The table then has the later record.
 */
export class BatchWriter implements RecordWriter {
  readonly #table: Table;
  readonly #signal: AbortSignal | undefined;
  readonly #times: typeof TIMES;
  /**
   * The limit waits for all writes, so that the import reads and writes in turns. An import that reads a few lines
   * after each response needs more CPU time.
   */
  readonly #limit = new ConcurrencyLimit({ waitsForAll: true });
  readonly #failed = new AbortController();
  /** The records that were added and are not yet written, by key, in the order of their lines. */
  readonly #unwritten = new Map<string, LineRecord>();
  /** The applications of the next batch. */
  #batch: LineRecord[] = [];
  /** The bytes of the lines of the next batch. */
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** A promise that settles when every partly filled batch that the timer sends has begun its write. */
  #waited: Promise<unknown> | undefined;
  readonly #keepsNewer: boolean;
  #written: Written = NONE_WRITTEN;

  constructor(table: Table, { keepsNewer = false, signal, ...times }: WriterOptions = {}) {
    this.#table = table;
    this.#signal = signal;
    this.#keepsNewer = keepsNewer;
    this.#times = { ...TIMES, ...times };
  }

  get written(): Written {
    return this.#written;
  }

  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  get firstUnwritten(): number | undefined {
    return this.#unwritten.values().next().value?.line;
  }

  async add(
    { kind, item, hasOwnExpiry }: StoredRecord,
    line: number,
    bytes: number,
  ): Promise<void> {
    const key = keyOf(item);
    if (this.#unwritten.has(key)) await this.flush();
    const record = { kind, item, hasOwnExpiry, line };
    const write = this.#keepsNewer ? this.#writeIfNewer : kind === 'job' && this.#writeJob;
    if (write) {
      this.#unwritten.set(key, record);
      return this.#begin(() => write.call(this, record), shareOf(1, bytes));
    }
    if (this.#bytes + bytes > MAX_BYTES) await this.#send();
    this.#unwritten.set(key, record);
    this.#batch.push(record);
    this.#bytes += bytes;
    if (this.#batch.length === BATCH_ITEMS) return this.#send();
    this.#timer ??= setTimeout(() => {
      // If the write fails, `failed` ends the import.
      this.#waited = Promise.all([this.#waited, this.#send().catch(() => undefined)]);
    }, this.#times.waitMs);
  }

  async flush(): Promise<void> {
    // A partly filled batch that the timer sends may be waiting for room.
    await this.#waited;
    await this.#send().finally(() => this.#limit.settle());
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    if (batch.length === 0) return;
    const share = shareOf(batch.length / APPLICATIONS_A_REQUEST, this.#bytes);
    this.#batch = [];
    this.#bytes = 0;
    await this.#begin(() => this.#writeApplications(batch), share);
  }

  /** Begins a write as soon as there is room for it. */
  #begin(write: () => Promise<void>, share: number): Promise<void> {
    const work = () =>
      write().catch((error) => {
        this.#failed.abort(error);
        throw error;
      });
    return this.#limit.begin(work, share);
  }

  async #writeJob(record: LineRecord): Promise<void> {
    await writeJob(this.#table, record.item, record.line);
    this.#count(record);
  }

  async #writeIfNewer(record: LineRecord): Promise<void> {
    const { kind, item, hasOwnExpiry } = record;
    const outcome = await (kind === 'application'
      ? putApplicationItem(this.#table, item, { hasOwnExpiry })
      : kind === 'job'
        ? createJobItem(this.#table, item)
        : removeApplicationItem(this.#table, item));
    if (outcome !== 'older' && outcome !== 'exists') return this.#count(record);
    this.#written = { ...this.#written, older: this.#written.older + 1 };
    this.#unwritten.delete(keyOf(item));
  }

  /**
   * Sends applications until DynamoDB has processed all of them. If DynamoDB can process no application of a request,
   * it rejects the request, which the SDK then retries.
   */
  async #writeApplications(batch: readonly LineRecord[]): Promise<void> {
    const { client, name } = this.#table;
    for (let left = batch; left.length > 0; ) {
      const requests = left.map(({ item: Item }) => ({ PutRequest: { Item } }));
      const { UnprocessedItems: unprocessed } = await client.send(
        new BatchWriteCommand({ RequestItems: { [name]: requests } }),
      );
      const keys = new Set(
        unprocessed?.[name]?.map((request) => keyOf(request.PutRequest?.Item ?? {})),
      );
      for (const record of left) if (!keys.has(keyOf(record.item))) this.#count(record);
      left = left.filter(({ item }) => keys.has(keyOf(item)));
      if (left.length === 0) return;
      this.#signal?.throwIfAborted();
      await sleep(Math.random() * this.#times.pauseMs, undefined, { signal: this.#signal });
    }
  }

  #count(record: LineRecord): void {
    this.#written = countRecord(this.#written, record);
    this.#unwritten.delete(keyOf(record.item));
  }
}

/**
 * Returns the number of requests that a write counts as, so that one number limits both the requests and the bytes
 * under way.
 */
const shareOf = (requests: number, bytes: number) =>
  Math.max(requests, (bytes / MAX_BYTES) * MAX_REQUESTS);

/**
 * Returns the key of an item as one text. A space separates the two parts, because neither part can contain a space.
 */
const keyOf = ({ pk, sk }: Partial<Item>) => `${pk} ${sk}`;
