import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { Application } from '../../functions/domain/application.ts';
import { namesOf } from '../../functions/domain/object.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { attributes, candidateIndex, type Key } from '../../functions/store/keys.ts';
import type { Client } from './interface.ts';
import type { WriteLimit } from './write-limit.ts';

/** The table to write to. */
export interface Table {
  client: Client;
  name: string;
}

type Stored = Readonly<Record<string, unknown>>;

const { revision, removed } = revisionAttributes;
const { partitionKey, timeToLive } = attributes;

/** Every attribute that an application or a tombstone may have in addition to its key. */
const KNOWN: readonly string[] = [
  ...namesOf(Application.properties),
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
  table: Table,
  item: Item,
  { hasOwnExpiry = false, limit }: { hasOwnExpiry?: boolean; limit?: WriteLimit } = {},
): Promise<'stored' | 'older'> {
  const isOrdered = item[revision] !== undefined;
  const values = isOrdered ? { ':revision': item[revision] } : {};
  const overApplication = {
    condition: `attribute_not_exists(#removed) AND (attribute_not_exists(#revision)${isOrdered ? ' OR #revision <= :revision' : ''})`,
    keepsExpiry: !hasOwnExpiry,
  };
  // This update replaces a tombstone that is older than this write, or that DynamoDB has deleted after it expired. The
  // application must not inherit the tombstone's expiry.
  const overTombstone = {
    condition: `attribute_not_exists(${partitionKey}) OR (attribute_exists(#removed) AND #revision < :revision)`,
    keepsExpiry: false,
  };
  for (;;) {
    const found = await update(table, item, values, overApplication, limit);
    if (found === undefined) return 'stored';
    if (found[removed] === undefined || !isBelow(found[revision], item[revision])) return 'older';
    const other = await update(table, item, values, overTombstone, limit);
    if (other === undefined) return 'stored';
  }
}

/**
 * Replaces an application with a tombstone unless a newer write is stored. The function stores the tombstone even if
 * there is no application, so that an older write that arrives later has no effect.
 * @param tombstone an item with its key, `revision`, `removed` and `expires_at`.
 */
export async function removeApplicationItem(
  { client, name }: Table,
  tombstone: Item,
): Promise<'removed' | 'older'> {
  const command = new PutItemCommand({
    TableName: name,
    Item: marshall(tombstone),
    ConditionExpression: 'attribute_not_exists(#revision) OR #revision <= :revision',
    ExpressionAttributeNames: { '#revision': revision },
    ExpressionAttributeValues: marshall({ ':revision': tombstone[revision] }),
  });
  return (await isApplied(client.send(command))) ? 'removed' : 'older';
}

/** Creates a job unless the job exists. An existing job stays unchanged, because the API manages its status. */
export async function createJobItem(
  { client, name }: Table,
  item: Item,
): Promise<'created' | 'exists'> {
  const command = new PutItemCommand({
    TableName: name,
    Item: marshall(item),
    ConditionExpression: `attribute_not_exists(${partitionKey})`,
  });
  return (await isApplied(client.send(command))) ? 'created' : 'exists';
}

/**
 * Returns whether a candidate was erased at or after a revision. The function makes one consistent read, which takes at
 * most one read unit.
 * @param key the candidate's `erasureKey`.
 */
export async function isErased(
  { client, name }: Table,
  key: Key,
  newRevision: number,
  limit: WriteLimit,
): Promise<boolean> {
  const command = new GetItemCommand({
    TableName: name,
    Key: marshall({ ...key }),
    ConsistentRead: true,
    // Ask for `ConsumedCapacity`. A response without `ConsumedCapacity` is incomplete, but a complete response without
    // `Item` means that the item does not exist.
    ReturnConsumedCapacity: 'TOTAL',
  });
  const response = await client
    .send(command, { abortSignal: limit.signal })
    .catch((error) => Promise.reject(limit.causeOf(error)));
  if (response.ConsumedCapacity === undefined) throw new Error('DynamoDB sent an empty response.');
  return response.Item !== undefined && !isBelow(numbersOf(response.Item)[revision], newRevision);
}

/** Returns whether a stored revision is less than another. If either is not a number, returns false. */
const isBelow = (stored: unknown, other: unknown): boolean =>
  typeof stored === 'number' && typeof other === 'number' && stored < other;

/**
 * Sets an item's attributes and removes its other known attributes, if a condition holds.
 * @returns undefined if the item was written, or the stored item if the condition did not hold.
 */
async function update(
  { client, name }: Table,
  { pk, sk, ...item }: Item,
  values: Stored,
  { condition, keepsExpiry }: { condition: string; keepsExpiry: boolean },
  limit: WriteLimit | undefined,
): Promise<Stored | undefined> {
  const set = Object.keys(item).map((member) =>
    member === timeToLive && keepsExpiry
      ? `#${member} = if_not_exists(#${member}, :${member})`
      : `#${member} = :${member}`,
  );
  const others = KNOWN.filter((member) => item[member] === undefined);
  const cleared = others.filter((member) => member !== timeToLive || !keepsExpiry);
  const names = [...Object.keys(item), ...cleared, revision, removed];
  const command = new UpdateItemCommand({
    TableName: name,
    Key: marshall({ pk, sk }),
    UpdateExpression: `SET ${set.join(', ')} REMOVE ${cleared.map((it) => `#${it}`).join(', ')}`,
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(names.map((each) => [`#${each}`, each])),
    ExpressionAttributeValues: marshall({
      ...values,
      ...Object.fromEntries(Object.entries(item).map(([each, value]) => [`:${each}`, value])),
    }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (limit) {
    // At this step, the middleware runs for each attempt of the SDK, right before the SDK sends the attempt.
    command.middlewareStack.add(
      (next) => (args) => {
        limit.check();
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low', name: 'limitWrite' },
    );
  }
  try {
    await client.send(command, limit ? { abortSignal: limit.signal } : {});
    return undefined;
  } catch (error) {
    if (!isFailedCondition(error)) throw limit ? limit.causeOf(error) : error;
    // The conditions hold if no item exists, so DynamoDB must return an item with a failed condition.
    if (error.Item === undefined) throw new Error('DynamoDB left out the stored item.');
    return numbersOf(error.Item);
  }
}

/** Returns whether a conditional write was applied. */
async function isApplied(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isFailedCondition(error)) return false;
    throw error;
  }
}

/**
 * Returns whether an error is a failed condition. The function checks the error's name and not its class, because the
 * caller may use another copy of the SDK.
 */
const isFailedCondition = (
  error: unknown,
): error is Error & { Item?: Record<string, AttributeValue> } =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

const numbersOf = (item: Record<string, AttributeValue>): Stored =>
  unmarshall(item, { wrapNumbers: Number });
