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

/** Attributes of applications and tombstones, besides the key: an update must remove those that it does not set. */
const KNOWN: readonly string[] = [
  ...keysOf(Application.properties),
  ...Object.values(itemAttributes),
  ...Object.values(revisionAttributes),
  candidateIndex.partitionKey,
  timeToLive,
];

/**
 * Keeps a newer stored application, and a stored removal with the same or a greater revision. An item without a
 * revision replaces only an application without one. Safe to repeat.
 * @param hasOwnExpiry if false, a stored application keeps its `expires_at`.
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
  // Without `keep`, so that the application does not inherit the tombstone's expiry. The condition also holds if
  // DynamoDB has deleted the tombstone meanwhile.
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
 * Stores the tombstone even if there is no application, because an older write may still arrive. A stored item with a
 * greater revision stays.
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
 * Keeps a greater stored revision or expiry, so that no erasure weakens an earlier one. Stored values beyond the year
 * 9999 are mistakes, and are replaced.
 * @returns the revision that is now stored.
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
 * How far a writer's clock may be ahead of DynamoDB's time, which is known in whole seconds. An erasure's revision lies
 * this far ahead, so that it covers what such a writer wrote before the erasure.
 */
export const CLOCK_MARGIN_MS = 5000;

/**
 * `ahead`: the revision is more than `CLOCK_MARGIN_MS` ahead of DynamoDB's time, so it does not show that the
 * application was made after the erasure.
 * @param now DynamoDB's time, in milliseconds since 1970.
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

export const AHEAD = refusalOf(
  `/${revision}`,
  'must not be ahead of the present time, because the candidate was erased and only the time shows what came later',
);

/**
 * Not a transaction, which would more than double the write units. If an erasure is stored between this read and the
 * write that follows, `eraseCandidate` removes the application afterwards: `WRITE_LIMIT_MS` says how.
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
    // A complete response has `ConsumedCapacity`. Only then does a missing `Item` mean that there is no erasure.
    ReturnConsumedCapacity: 'TOTAL',
  });
  const now = responseTime(command);
  const response = await client.send(command, { abortSignal: limit.signal });
  if (response.ConsumedCapacity === undefined) throw new Error('DynamoDB sent an empty response.');
  const erasure = response.Item && numbersOf(response.Item);
  return compareToErasure(erasure, newRevision, now);
}

const isBelow = (stored: unknown, other: unknown) =>
  typeof stored === 'number' && typeof other === 'number' && stored < other;
