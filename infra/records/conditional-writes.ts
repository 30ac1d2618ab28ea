import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { Application } from '../../functions/domain/application.ts';
import { keysOf } from '../../functions/domain/own-value.ts';
import { MAX_EPOCH_SECONDS } from '../../functions/domain/timestamp.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { candidateIndex, type Key, keyAttributes } from '../../functions/store/keys.ts';
import { refusalOf } from './faults.ts';
import type { Client } from './interface.ts';
import { REVISIONS } from './record-schema.ts';
import { responseTime } from './response-time.ts';
import type { Table } from './table.ts';
import { numbersOf, putIf, type Stored, updateIf } from './write-if.ts';
import type { WriteLimit } from './write-limit.ts';

const { revision, removed } = revisionAttributes;
const { partitionKey, timeToLive } = keyAttributes;

/** The attributes, besides its key, that an application or a tombstone may have. */
const KNOWN: readonly string[] = [
  ...keysOf(Application.properties),
  ...Object.values(itemAttributes),
  ...Object.values(revisionAttributes),
  candidateIndex.partitionKey,
  timeToLive,
];

/**
 * Stores an application unless the table holds a newer application, or a removal with the same or a greater revision.
 * An item without a revision counts as the oldest, so it replaces only an application that has no revision either.
 * Repeating the call changes nothing.
 * @param hasOwnExpiry whether the item's `expires_at` replaces the stored `expires_at`. By default, the stored value
 *   stays, and the item's value applies only if nothing is stored.
 * @returns `older` if the stored item is newer. The stored item then stays unchanged.
 */
export async function putApplicationItem(
  table: Table<Client>,
  { pk, sk, ...set }: Item,
  { hasOwnExpiry = false, limit }: { hasOwnExpiry?: boolean; limit?: WriteLimit } = {},
): Promise<'stored' | 'older'> {
  const key = { pk, sk };
  const absent = KNOWN.filter((name) => set[name] === undefined);
  const unorderedOrOlder =
    set[revision] === undefined
      ? 'attribute_not_exists(#revision)'
      : 'attribute_not_exists(#revision) OR #revision <= :revision';
  const overApplication = {
    set,
    keep: hasOwnExpiry ? [] : [timeToLive],
    remove: absent.filter((name) => name !== timeToLive),
    condition: `attribute_not_exists(#removed) AND (${unorderedOrOlder})`,
  };
  // The tombstone is older than this write, or DynamoDB has deleted it after it expired. The application must not
  // inherit its expiry.
  const overTombstone = {
    set,
    remove: absent,
    condition: `attribute_not_exists(#${partitionKey}) OR (attribute_exists(#removed) AND #revision < :revision)`,
  };
  for (;;) {
    const found = await updateIf(table, key, overApplication, limit);
    if (found === undefined) return 'stored';
    if (found[removed] === undefined || !isBelow(found[revision], set[revision])) return 'older';
    if ((await updateIf(table, key, overTombstone, limit)) === undefined) return 'stored';
  }
}

/**
 * Replaces an application with a tombstone unless a newer write is stored. Without an application, the tombstone is
 * stored too, so that an older write that arrives later has no effect.
 * @param tombstone an item with its key, `revision`, `removed` and `expires_at`.
 */
export async function removeApplicationItem(
  table: Table<Client>,
  tombstone: Item,
  limit?: WriteLimit,
): Promise<'removed' | 'older'> {
  const isNewest = {
    condition: 'attribute_not_exists(#revision) OR #revision <= :revision',
    values: { revision: tombstone[revision] },
  };
  const newer = await putIf(table, tombstone, isNewest, limit);
  return newer === undefined ? 'removed' : 'older';
}

/** Creates a job unless the job exists. An existing job stays unchanged, because the API manages its status. */
export async function createJobItem(
  table: Table<Client>,
  item: Item,
  limit?: WriteLimit,
): Promise<'created' | 'exists'> {
  const isNew = { condition: `attribute_not_exists(#${partitionKey})` };
  const existing = await putIf(table, item, isNew, limit);
  return existing === undefined ? 'created' : 'exists';
}

/**
 * Stores an erasure: an item with its key, `revision` and `expires_at`. A stored revision or expiry that is greater and
 * valid stays.
 * @returns the stored revision.
 */
export async function storeErasure(table: Table<Client>, erasure: Item): Promise<number> {
  for (let item = erasure; ; ) {
    const found = await putIf(table, item, {
      condition:
        `NOT (#${revision} > :${revision} AND #${revision} <= :lastRevision)` +
        ` AND NOT (#${timeToLive} > :${timeToLive} AND #${timeToLive} <= :lastSecond)`,
      values: {
        [revision]: item[revision],
        [timeToLive]: item[timeToLive],
        lastRevision: REVISIONS.maximum,
        lastSecond: MAX_EPOCH_SECONDS,
      },
    });
    if (found === undefined) return Number(item[revision]);
    const greater = (name: string, last: number) =>
      isBelow(item[name], found[name]) && Number(found[name]) <= last ? found[name] : item[name];
    item = {
      ...item,
      [revision]: greater(revision, REVISIONS.maximum),
      [timeToLive]: greater(timeToLive, MAX_EPOCH_SECONDS),
    };
  }
}

/**
 * How far a program's clock may be ahead of DynamoDB's time, which has no milliseconds: an erasure's revision is ahead of
 * that time by as much.
 */
export const CLOCK_MARGIN_MS = 5000;

/**
 * How an application's revision relates to the erasure of its candidate. `ahead`: beyond DynamoDB's time, so it does not
 * show that the application was made after the erasure.
 * @param erasure the stored item, if there is one.
 * @param now returns DynamoDB's time.
 */
export function compareToErasure(
  erasure: Stored | undefined,
  newRevision: unknown,
  now: () => number,
): 'newer' | 'older' | 'ahead' {
  if (erasure === undefined) return 'newer';
  if (!isBelow(erasure[revision], newRevision)) return 'older';
  return isBelow(now() + CLOCK_MARGIN_MS, newRevision) ? 'ahead' : 'newer';
}

/** The refusal of an application that `compareToErasure` calls `ahead`. */
export const AHEAD = refusalOf(
  `/${revision}`,
  'must not be ahead of the present time, because the candidate was erased and only the time shows what came later',
);

/**
 * Compares a revision with a candidate's erasure, with one consistent read of at most one read unit.
 * @param key the candidate's `erasureKey`.
 */
export async function checkErasure(
  { client, name }: Table<Client>,
  key: Key,
  newRevision: number,
  limit: WriteLimit,
): Promise<'newer' | 'older' | 'ahead'> {
  const command = new GetItemCommand({
    TableName: name,
    Key: marshall({ ...key }),
    ConsistentRead: true,
    // A response without `ConsumedCapacity` is incomplete. In a complete one, no `Item` means that there is none.
    ReturnConsumedCapacity: 'TOTAL',
  });
  const now = responseTime(command);
  const response = await client.send(command, { abortSignal: limit.signal });
  if (response.ConsumedCapacity === undefined) throw new Error('DynamoDB sent an empty response.');
  const erasure = response.Item && numbersOf(response.Item);
  return compareToErasure(erasure, newRevision, now);
}

/** Whether a stored revision is less than another; false if either is not a number. */
const isBelow = (stored: unknown, other: unknown) =>
  typeof stored === 'number' && typeof other === 'number' && stored < other;
