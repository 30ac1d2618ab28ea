import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../functions/store/items.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { createJobItem, putApplicationItem, removeApplicationItem } from './conditional-writes.ts';
import { writeJob } from './job-update.ts';
import type { StoredRecord } from './records.ts';
import type { Table } from './table.ts';

/** The maximum number of items in a request (DynamoDB API Reference, BatchWriteItem). */
const BATCH_ITEMS = 25;

/** A record with the number and the length of its line. */
export type LineRecord = StoredRecord & { line: number; bytes: number };

export type Outcome = 'written' | 'older';

/**
 * Writes records of which no two have the same key, and calls `onDone` for each. After a failure, begins no more
 * requests, and waits for those under way.
 */
export type WriteBlock = (
  records: readonly LineRecord[],
  onDone: (record: LineRecord, outcome: Outcome) => void,
) => Promise<void>;

interface WriterOptions {
  /** Writes each record by a request of its own, unless something newer is stored. An existing job then stays. */
  keepsNewer?: boolean;
  /** Ends the retries of the items that DynamoDB left unprocessed. */
  signal?: AbortSignal | undefined;
  /** The longest pause before such a retry. */
  pauseMs?: number;
}

/**
 * Returns a function that writes blocks to a table: applications and tombstones in batches, jobs one by one, because
 * an UpdateItem keeps the attributes that protect a job from late requests.
 */
export function blockWriter(table: Table, options: WriterOptions = {}): WriteBlock {
  return async (records, onDone) => {
    const single = records.filter(({ kind }) => options.keepsNewer || kind === 'job');
    const batched = options.keepsNewer ? [] : records.filter(({ kind }) => kind !== 'job');
    const limit = new ConcurrencyLimit();
    try {
      for (let at = 0; at < batched.length; at += BATCH_ITEMS) {
        const batch = batched.slice(at, at + BATCH_ITEMS);
        await limit.begin(() => writeBatch(table, batch, onDone, options));
      }
      for (const record of single) {
        await limit.begin(async () => {
          if (options.keepsNewer) return onDone(record, await writeIfNewer(table, record));
          await writeJob(table, record.item, record.line);
          onDone(record, 'written');
        });
      }
    } finally {
      await limit.settle();
    }
  };
}

async function writeIfNewer(
  table: Table,
  { kind, item, hasOwnExpiry }: LineRecord,
): Promise<Outcome> {
  const outcome = await (kind === 'application'
    ? putApplicationItem(table, item, { hasOwnExpiry })
    : kind === 'job'
      ? createJobItem(table, item)
      : removeApplicationItem(table, item));
  return outcome === 'older' || outcome === 'exists' ? 'older' : 'written';
}

/**
 * Sends a batch until DynamoDB has processed all of it. If DynamoDB can process none, it rejects the request, which the
 * SDK then retries.
 */
async function writeBatch(
  { client, name }: Table,
  batch: readonly LineRecord[],
  onDone: (record: LineRecord, outcome: Outcome) => void,
  { signal, pauseMs = 1000 }: WriterOptions,
): Promise<void> {
  for (let left = batch; ; ) {
    const requests = left.map(({ item: Item }) => ({ PutRequest: { Item } }));
    const { UnprocessedItems: unprocessed } = await client.send(
      new BatchWriteCommand({ RequestItems: { [name]: requests } }),
    );
    const keys = new Set(
      unprocessed?.[name]?.map((request) => keyOf(request.PutRequest?.Item ?? {})),
    );
    for (const record of left) if (!keys.has(keyOf(record.item))) onDone(record, 'written');
    left = left.filter(({ item }) => keys.has(keyOf(item)));
    if (left.length === 0) return;
    signal?.throwIfAborted();
    await sleep(Math.random() * pauseMs, undefined, { signal });
  }
}

/** The key of an item as one text. Neither part can contain a space. */
export const keyOf = ({ pk, sk }: Partial<Item>) => `${pk} ${sk}`;
