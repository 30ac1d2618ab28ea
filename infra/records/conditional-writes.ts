import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { Application } from '../../functions/domain/application.ts';
import { keysOf } from '../../functions/domain/own-value.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { candidateIndex, type Key, keyAttributes } from '../../functions/store/keys.ts';
import { numbersOf, putIf, type RecordTable, updateIf } from './write-if.ts';
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
  table: RecordTable,
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
  table: RecordTable,
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
  table: RecordTable,
  item: Item,
  limit?: WriteLimit,
): Promise<'created' | 'exists'> {
  const isNew = { condition: `attribute_not_exists(#${partitionKey})` };
  const existing = await putIf(table, item, isNew, limit);
  return existing === undefined ? 'created' : 'exists';
}

/**
 * Returns whether a candidate was erased at or after a revision, with one consistent read of at most one read unit.
 * @param key the candidate's `erasureKey`.
 */
export async function isErased(
  { client, name }: RecordTable,
  key: Key,
  newRevision: number,
  limit: WriteLimit,
): Promise<boolean> {
  const command = new GetItemCommand({
    TableName: name,
    Key: marshall({ ...key }),
    ConsistentRead: true,
    // A response without `ConsumedCapacity` is incomplete. In a complete one, no `Item` means that there is none.
    ReturnConsumedCapacity: 'TOTAL',
  });
  const response = await client.send(command, { abortSignal: limit.signal });
  if (response.ConsumedCapacity === undefined) throw new Error('DynamoDB sent an empty response.');
  return response.Item !== undefined && !isBelow(numbersOf(response.Item)[revision], newRevision);
}

/** Whether a stored revision is less than another; false if either is not a number. */
const isBelow = (stored: unknown, other: unknown) =>
  typeof stored === 'number' && typeof other === 'number' && stored < other;
