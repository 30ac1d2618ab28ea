import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import type { Table } from '../../cli/table.ts';
import { countWritten, type RecordWriter, type Written } from './import-records.ts';
import { writeJob } from './job-update.ts';
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
/** The longest wait before the items that DynamoDB left unprocessed are sent again, in milliseconds. */
const PAUSE_MS = 1000;

type BatchRecord = StoredRecord & { line: number };

/** Records that are written together, by key, in the order of their lines. */
interface Batch {
  records: Map<string, BatchRecord>;
  /** How full it is: `MAX_ITEMS` at most. */
  share: number;
  bytes: number;
}

const emptyBatch = (): Batch => ({ records: new Map(), share: 0, bytes: 0 });

/**
 * Writes records in batches, several at a time: applications by one BatchWriteItem, jobs by an UpdateItem
 * each, which keeps what guards them from late requests. A record waits until the one with the same key
 * that was added before it is written, so the last of several records with a key stays. After a failure
 * nothing is unwritten before the line that the writer names.
 */
export class BatchWriter implements RecordWriter {
  readonly written: Written = { jobs: 0, applications: 0, expired: 0 };
  readonly #table: Table;
  readonly #signal: AbortSignal | undefined;
  readonly #failure = new AbortController();
  #filling = emptyBatch();
  /** The batches that are being written; those that failed remain. The promises never reject. */
  readonly #underWay = new Map<Batch, Promise<void>>();

  /** @param signal stops the writer after the requests under way, with its reason. */
  constructor(table: Table, signal?: AbortSignal) {
    this.#table = table;
    this.#signal = signal;
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

  /** @throws the first failure, after all requests of the batch have ended. */
  async #write(batch: Batch): Promise<void> {
    const { job: jobs = [], application: applications = [] } = Object.groupBy(
      batch.records.values(),
      ({ kind }) => kind,
    );
    const writes = jobs.map(async (record) => {
      await writeJob(this.#table, record.item, record.line);
      this.#count(record, batch);
    });
    const outcomes = await Promise.allSettled([
      ...writes,
      this.#writeApplications(applications, batch),
    ]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Sends applications until DynamoDB leaves none unprocessed; if it can process none, it fails instead. */
  async #writeApplications(records: readonly BatchRecord[], batch: Batch): Promise<void> {
    const { client, name } = this.#table;
    for (let left = records; left.length > 0; ) {
      const requests = left.map(({ item: Item }) => ({ PutRequest: { Item } }));
      const { UnprocessedItems: unprocessed } = await client.send(
        new BatchWriteCommand({ RequestItems: { [name]: requests } }),
      );
      const keys = new Set(
        unprocessed?.[name]?.map((request) => keyOf(request.PutRequest?.Item ?? {})),
      );
      for (const record of left) if (!keys.has(keyOf(record.item))) this.#count(record, batch);
      left = left.filter(({ item }) => keys.has(keyOf(item)));
      if (left.length === 0) return;
      this.#signal?.throwIfAborted();
      await sleep(Math.random() * PAUSE_MS, undefined, { signal: this.#signal });
    }
  }

  #count(record: BatchRecord, batch: Batch): void {
    countWritten(this.written, record);
    batch.records.delete(keyOf(record.item));
  }
}

/** The key of an item in one string: neither part holds a space. */
const keyOf = ({ pk, sk }: Partial<Item>) => `${pk} ${sk}`;
