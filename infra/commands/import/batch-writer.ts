import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import { allEnded, groupsOf } from '../cli/parallel.ts';
import type { Table } from '../cli/table.ts';
import { countWritten, type RecordWriter, type Written } from './import-records.ts';
import { writeJob } from './job-update.ts';
import type { StoredRecord } from './records.ts';

/** The most items of one BatchWriteItem (DynamoDB API Reference, BatchWriteItem). */
const BATCH_ITEMS = 25;
/** How many applications are written at once, in eight batches; a job counts for `JOB_SHARE` of them. */
const MOST_AT_ONCE = 8 * BATCH_ITEMS;
/**
 * How many applications count for as much as a job, which takes a request of its own: with so many, there are
 * no more requests than the SDK's 50 connections.
 */
const JOB_SHARE = 5;
/**
 * The most bytes of lines that are written at once, in one batch or in several. A request may have 16 MB; it
 * names a type with each value, which makes the shortest values (`{}` becomes `{"M":{}}`) three times as long
 * as in the line.
 */
const MOST_BYTES = 4 * 1024 * 1024;
/** The longest wait before the items that DynamoDB left unprocessed are sent again, in milliseconds. */
const PAUSE_MS = 1000;

type LineRecord = StoredRecord & { line: number };

/**
 * Collects records and writes many at once: applications in batches, jobs by an UpdateItem each, which keeps
 * what guards them from late requests. Of two records with the same key, the first is written before the second
 * is collected, so the last of several stays. After a failure nothing is unwritten before the line that the
 * writer names.
 */
export class BatchWriter implements RecordWriter {
  readonly written: Written = { jobs: 0, applications: 0, expired: 0 };
  readonly #table: Table;
  readonly #signal: AbortSignal | undefined;
  readonly #pauseMs: number;
  /** The records that were added and are not written, by key, in the order of their lines. */
  readonly #left = new Map<string, LineRecord>();
  /** How many applications those count for, and the bytes of their lines. */
  #share = 0;
  #bytes = 0;

  /** @param signal stops the writer after the requests under way, with its reason. */
  constructor(table: Table, signal?: AbortSignal, pauseMs = PAUSE_MS) {
    this.#table = table;
    this.#signal = signal;
    this.#pauseMs = pauseMs;
  }

  get firstUnwritten(): number | undefined {
    return this.#left.values().next().value?.line;
  }

  async add(record: StoredRecord, line: number, bytes: number): Promise<void> {
    const key = keyOf(record.item);
    const share = record.kind === 'job' ? JOB_SHARE : 1;
    const isFull = this.#share + share > MOST_AT_ONCE || this.#bytes + bytes > MOST_BYTES;
    if (isFull || this.#left.has(key)) await this.flush();
    this.#left.set(key, { ...record, line });
    this.#share += share;
    this.#bytes += bytes;
  }

  async flush(): Promise<void> {
    const { job: jobs = [], application: applications = [] } = Object.groupBy(
      this.#left.values(),
      ({ kind }) => kind,
    );
    this.#share = 0;
    this.#bytes = 0;
    await allEnded([
      ...jobs.map(async (record) => {
        await writeJob(this.#table, record.item, record.line);
        this.#count(record);
      }),
      ...groupsOf(applications, BATCH_ITEMS).map((batch) => this.#writeApplications(batch)),
    ]);
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
      await sleep(Math.random() * this.#pauseMs, undefined, { signal: this.#signal });
    }
  }

  #count(record: LineRecord): void {
    countWritten(this.written, record);
    this.#left.delete(keyOf(record.item));
  }
}

/** The key of an item in one string: neither part holds a space. */
const keyOf = ({ pk, sk }: Partial<Item>) => `${pk} ${sk}`;
