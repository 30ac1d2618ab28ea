import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import {
  createJobItem,
  putApplicationItem,
  removeApplicationItem,
} from '../../writer/conditional-writes.ts';
import type { StoredRecord } from '../../writer/records.ts';
import type { Table } from '../cli/table.ts';
import { MOST_REQUESTS, Window } from '../cli/window.ts';
import { countRecord, NONE_WRITTEN, type RecordWriter, type Written } from './import-records.ts';
import { writeJob } from './job-update.ts';

/** The most items of one BatchWriteItem (DynamoDB API Reference, BatchWriteItem). */
const BATCH_ITEMS = 25;
/** How many applications count for a request: eight full batches, 200 applications, are written at once. */
const APPLICATIONS_A_REQUEST = 5;
/**
 * The most bytes of lines that are written at once, in one batch or in several. A request may have 16 MB; it
 * names a type with each value, which makes the shortest values (`{}` becomes `{"M":{}}`) three times as long
 * as in the line.
 */
const MOST_BYTES = 4 * 1024 * 1024;
/** Time limits, in milliseconds. */
const TIMES = {
  /** The longest wait before the items that DynamoDB left unprocessed are sent again. */
  pauseMs: 1000,
  /** How long a record may wait for others to fill its batch: on an open pipe, none may follow. */
  waitMs: 1000,
};

export interface WriterOptions extends Partial<typeof TIMES> {
  /**
   * Writes each record by a request of its own, with the condition that nothing newer is stored
   * (`infra/writer`). A job that exists stays as it is.
   */
  keepsNewer?: boolean;
  /** Stops the writer from sending again what DynamoDB left unprocessed. */
  signal?: AbortSignal | undefined;
}

type LineRecord = StoredRecord & { line: number };

/**
 * Writes many records at once: applications in batches, jobs by an UpdateItem each, which keeps what guards
 * them from late requests. Of two records with the same key, the first is written before the second is
 * begun, so the last of several stays. After a failure nothing is unwritten before the line that the writer
 * names.
 */
export class BatchWriter implements RecordWriter {
  readonly #table: Table;
  readonly #signal: AbortSignal | undefined;
  readonly #times: typeof TIMES;
  readonly #window = new Window();
  readonly #failed = new AbortController();
  /** The records that were added and are not written, by key, in the order of their lines. */
  readonly #left = new Map<string, LineRecord>();
  /** The next batch, and the bytes of its lines. */
  #batch: LineRecord[] = [];
  #bytes = 0;
  /** The requests that were begun since nothing was under way. */
  #share = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Settled when the batches that have waited are being written. */
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
    return this.#left.values().next().value?.line;
  }

  async add(
    { kind, item, hasOwnExpiry }: StoredRecord,
    line: number,
    bytes: number,
  ): Promise<void> {
    const key = keyOf(item);
    if (this.#left.has(key)) await this.flush();
    const record = { kind, item, hasOwnExpiry, line };
    const write = this.#keepsNewer ? this.#writeIfNewer : kind === 'job' && this.#writeJob;
    if (write) {
      this.#left.set(key, record);
      return this.#begin(() => write.call(this, record), shareOf(1, bytes));
    }
    if (this.#bytes + bytes > MOST_BYTES) await this.#send();
    this.#left.set(key, record);
    this.#batch.push(record);
    this.#bytes += bytes;
    if (this.#batch.length === BATCH_ITEMS) return this.#send();
    this.#timer ??= setTimeout(() => {
      // A failure ends the import through `failed`.
      this.#waited = Promise.all([this.#waited, this.#send().catch(() => undefined)]);
    }, this.#times.waitMs);
  }

  async flush(): Promise<void> {
    // These batches may still wait for room.
    await this.#waited;
    await this.#send().finally(() => this.#window.settle());
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

  /**
   * Begins a write, after all others if there is no room for it. Reading and writing in turns costs less CPU
   * time than reading a little after each response.
   */
  async #begin(write: () => Promise<void>, share: number): Promise<void> {
    const work = () =>
      write().catch((error) => {
        this.#failed.abort(error);
        throw error;
      });
    this.#share += share;
    if (this.#share > MOST_REQUESTS) {
      await this.#window.settle();
      this.#share = share;
    }
    return this.#window.begin(work, share);
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
    this.#left.delete(keyOf(item));
  }

  /** Sends applications until DynamoDB leaves none unprocessed; if it can process none, it fails instead. */
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
    this.#left.delete(keyOf(record.item));
  }
}

/** The requests that a write counts for, so that neither too many nor too many bytes are under way. */
const shareOf = (requests: number, bytes: number) =>
  Math.max(requests, (bytes / MOST_BYTES) * MOST_REQUESTS);

/** The key of an item in one string: neither part holds a space. */
const keyOf = ({ pk, sk }: Partial<Item>) => `${pk} ${sk}`;
