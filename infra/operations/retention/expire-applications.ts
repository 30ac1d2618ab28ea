import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { paginateScan, type ScanCommandOutput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { applicationAttributes } from '../../../functions/store/items.ts';
import { applicationKeyPrefix, attributes } from '../../../functions/store/keys.ts';
import type { Table } from '../../cli/table.ts';
import { expiryOf } from './expiry.ts';

/** Applications that are changed at once. */
const PARALLEL = 10;

const { partitionKey, sortKey } = attributes;
const { expiresAt } = applicationAttributes;

/** Whose applications expire, and after how long. */
export interface RetentionOptions {
  table: Table;
  tenant: string;
  /** Days from an application's `created_at`. */
  days: number;
  /** Whether to count only. */
  isDryRun: boolean;
  /** Called after each page of the table with the items read so far, of any kind, and the counts. */
  onProgress?: (read: number, counts: RetentionCounts) => void;
  /** Stops the work, after the applications that are being changed. */
  signal?: AbortSignal;
}

/** The outcome for a tenant's applications that had no `expires_at`. */
export interface RetentionCounts {
  /** Those that have one now, or would. */
  set: number;
  /** Those among them that expire at once: the API no longer finds them. */
  expired: number;
  /** Those without a valid `created_at`, which are left as they are. */
  withoutDate: number;
}

type Item = Readonly<Record<string, unknown>>;

/** The work stopped before the end of the table; `cause` is the failure, or the signal's reason. */
export class RetentionStopped extends Error {
  override readonly name = 'RetentionStopped';
  /** What was done until then. */
  readonly counts: RetentionCounts;

  constructor(counts: RetentionCounts, cause: unknown) {
    super('Stopped before the end of the table.', { cause });
    this.counts = counts;
  }
}

/**
 * Sets `expires_at` on the applications of a tenant that have none. It reads the whole table, and holds
 * one page of it at a time. It may stop anywhere and run again: what is set is not set again.
 * @throws RetentionStopped
 */
export async function expireApplications(options: RetentionOptions): Promise<RetentionCounts> {
  const counts: RetentionCounts = { set: 0, expired: 0, withoutDate: 0 };
  let read = 0;
  try {
    for await (const { Items: items = [], ScannedCount: scanned = 0 } of pagesWithout(options)) {
      await inParallel(items, options.signal, (item) => count(item, options, counts));
      read += scanned;
      options.onProgress?.(read, counts);
    }
  } catch (error) {
    throw new RetentionStopped(counts, error);
  }
  return counts;
}

/**
 * Does the work for each item, for some at once. After a failure, or the signal, it starts no more and
 * waits for those under way.
 * @throws the first failure, or the reason of the signal.
 */
async function inParallel(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const left = items.values();
  const worker = async () => {
    for (const item of left) {
      if (failures.length > 0 || signal?.aborted) return;
      await work(item).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  if (failures.length > 0) throw failures[0];
  signal?.throwIfAborted();
}

/** The keys and dates of the tenant's applications that have no `expires_at`. */
function pagesWithout(options: RetentionOptions): AsyncIterable<ScanCommandOutput> {
  const { client, name } = options.table;
  const { pk, sk } = applicationKeyPrefix(options.tenant);
  return paginateScan(
    { client },
    {
      TableName: name,
      ConsistentRead: true,
      ProjectionExpression: `${partitionKey}, ${sortKey}, created_at`,
      FilterExpression:
        `begins_with(${partitionKey}, :pk) AND begins_with(${sortKey}, :sk) ` +
        `AND attribute_not_exists(${expiresAt})`,
      ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
    },
  );
}

async function count(item: Item, options: RetentionOptions, counts: RetentionCounts) {
  const now = Date.now();
  const expiry = expiryOf(item.created_at, options.days, now);
  if (expiry === undefined) {
    counts.withoutDate += 1;
    return;
  }
  if (!options.isDryRun && !(await setExpiry(item, expiry, options))) return;
  counts.set += 1;
  if (expiry <= now / 1000) counts.expired += 1;
}

/** Returns whether it was set: another writer may have removed or replaced the application meanwhile. */
async function setExpiry(
  { pk, sk, created_at }: Item,
  expiry: number,
  { table: { client, name } }: RetentionOptions,
): Promise<boolean> {
  try {
    await client.send(
      new UpdateCommand({
        TableName: name,
        Key: { pk, sk },
        UpdateExpression: `SET ${expiresAt} = :expiry`,
        ConditionExpression: `attribute_not_exists(${expiresAt}) AND created_at = :created`,
        ExpressionAttributeValues: { ':expiry': expiry, ':created': created_at },
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // A second attempt follows a lost response, most likely to an attempt that set it.
    const { attempts = 1 } = error.$metadata;
    return attempts > 1;
  }
}
