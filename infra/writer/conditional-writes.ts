import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { Application } from '../../functions/domain/application.ts';
import { namesOf } from '../../functions/domain/record.ts';
import { type Item, itemAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { attributes, candidateIndex, type Key } from '../../functions/store/keys.ts';
import type { Client } from './interface.ts';
import type { WriteLimit } from './write-limit.ts';

/** Where to write. */
export interface Table {
  client: Client;
  name: string;
}

type Stored = Readonly<Record<string, unknown>>;

const { revision, removed } = revisionAttributes;
const { partitionKey, timeToLive } = attributes;

/** Every attribute that an application or a tombstone may have, besides its key. */
const KNOWN: readonly string[] = [
  ...namesOf(Application.properties),
  ...Object.values(itemAttributes),
  ...Object.values(revisionAttributes),
  candidateIndex.partitionKey,
  timeToLive,
];

/**
 * Stores an application unless a newer write, or a removal that is not older, is stored. An item without a
 * revision is older than any revision; it replaces only an application without one. Repeating the call
 * changes nothing.
 * @param hasOwnExpiry whether the item's `expires_at` replaces a stored application's. Otherwise the stored one stays, and
 *   the item's is used only if there is none.
 * @returns `older` if the item is older than what is stored, which stays as it is.
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
  // A tombstone's time to live is not that of the application. DynamoDB may have deleted the tombstone meanwhile.
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
 * Stores a tombstone in place of an application unless a newer write is stored. It is stored also if there is no
 * application, so that an older write that arrives later has no effect.
 * @param tombstone its key, `revision`, `removed` and `expires_at`.
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

/** Creates a job. An existing one stays as it is: its status, version and history belong to the API. */
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
 * Returns whether a candidate was erased at or after a revision: one consistent read of at most one read unit.
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
    // Distinguishes a missing item from a response that lost its content.
    ReturnConsumedCapacity: 'TOTAL',
  });
  const response = await client
    .send(command, { abortSignal: limit.signal })
    .catch((error) => Promise.reject(limit.causeOf(error)));
  if (response.ConsumedCapacity === undefined) throw new Error('DynamoDB sent an empty response.');
  return response.Item !== undefined && !isBelow(numbersOf(response.Item)[revision], newRevision);
}

/** Returns whether a stored revision lies before another. A revision that is not a number never does. */
const isBelow = (stored: unknown, other: unknown): boolean =>
  typeof stored === 'number' && typeof other === 'number' && stored < other;

/**
 * Sets an item's attributes and removes the others, if the condition holds.
 * @returns the stored item if the condition does not hold; undefined if the item was written.
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
    // This step follows the SDK's retries and signature, so it runs for each attempt, right before the attempt is sent.
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
    // Only an item can fail the condition.
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

/** Recognises the error by its name, because the caller's SDK may be another copy than this module's. */
const isFailedCondition = (
  error: unknown,
): error is Error & { Item?: Record<string, AttributeValue> } =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

const numbersOf = (item: Record<string, AttributeValue>): Stored =>
  unmarshall(item, { wrapNumbers: Number });
