import {
  type AttributeValue,
  DeleteItemCommand,
  type DeleteItemCommandOutput,
  PutItemCommand,
  type ReturnValuesOnConditionCheckFailure,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../functions/store/items.ts';
import type { Key } from '../../functions/store/keys.ts';
import type { Client } from './interface.ts';
import type { Table } from './table.ts';
import { limitAttempts, type WriteLimit } from './write-limit.ts';

/** Not a part of `Client`, because no live write deletes. */
interface DeletingClient {
  send(command: DeleteItemCommand): Promise<DeleteItemCommandOutput>;
}

export type Stored = Readonly<Record<string, unknown>>;

interface Condition {
  /** `#name` stands for the attribute `name`, and `:name` for `values.name`. */
  condition: string;
  values?: Stored;
}

interface Update extends Condition {
  /** The condition may use these values too, as `:name`. */
  set: Stored;
  /** Names in `set` that are set only if the item lacks them. */
  keep?: readonly string[];
  remove?: readonly string[];
}

/**
 * The condition must hold for a missing item.
 * @returns the stored item if the condition does not hold, otherwise undefined.
 */
export function putIf(
  { client, name }: Table<Client>,
  item: Item,
  condition: Condition,
  limit?: WriteLimit,
): Promise<Stored | undefined> {
  const command = new PutItemCommand({ ...inputOf(name, condition), Item: marshall(item) });
  if (limit) limitAttempts(command, limit);
  return foundInstead(client.send(command, optionsOf(limit)));
}

/** As `putIf`, but the attributes that are neither set nor removed stay. */
export function updateIf(
  { client, name }: Table<Client>,
  { pk, sk }: Key,
  { set, keep = [], remove = [], condition, values }: Update,
  limit?: WriteLimit,
): Promise<Stored | undefined> {
  const assignments = Object.keys(set).map((each) =>
    keep.includes(each) ? `#${each} = if_not_exists(#${each}, :${each})` : `#${each} = :${each}`,
  );
  const expression = [
    `SET ${assignments.join(', ')}`,
    ...(remove.length > 0 ? [`REMOVE ${remove.map((each) => `#${each}`).join(', ')}`] : []),
  ].join(' ');
  const command = new UpdateItemCommand({
    ...inputOf(name, { condition, values: { ...set, ...values } }, expression),
    Key: marshall({ pk, sk }),
    UpdateExpression: expression,
  });
  if (limit) limitAttempts(command, limit);
  return foundInstead(client.send(command, optionsOf(limit)));
}

const optionsOf = (limit: WriteLimit | undefined) => (limit ? { abortSignal: limit.signal } : {});

/** @returns whether this call deleted the item. */
export async function deleteIf(
  { client, name }: Table<DeletingClient>,
  { pk, sk }: Key,
  condition: Condition,
): Promise<boolean> {
  const input = { ...inputOf(name, condition), Key: marshall({ pk, sk }) };
  const refusal = await failedConditionOf(client.send(new DeleteItemCommand(input)));
  // If the item is gone after more than one attempt, most likely an earlier attempt deleted it, and the response was
  // lost.
  return refusal === undefined || (refusal.Item === undefined && attemptsOf(refusal) > 1);
}

/** DynamoDB rejects names and values that no expression uses. */
function inputOf(name: string, { condition, values = {} }: Condition, expression = '') {
  const names = `${condition} ${expression}`.match(/(?<=#)\w+/g) ?? [];
  const onFailure: ReturnValuesOnConditionCheckFailure = 'ALL_OLD';
  return {
    TableName: name,
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(names.map((each) => [`#${each}`, each])),
    ...(Object.keys(values).length > 0 && {
      ExpressionAttributeValues: marshall(
        Object.fromEntries(Object.entries(values).map(([each, value]) => [`:${each}`, value])),
      ),
    }),
    ReturnValuesOnConditionCheckFailure: onFailure,
  };
}

interface FailedCondition extends Error {
  readonly Item?: Record<string, AttributeValue>;
  readonly $metadata?: { readonly attempts?: number };
}

const attemptsOf = ({ $metadata }: FailedCondition) => $metadata?.attempts ?? 1;

// By name, not by the SDK's class: the caller may use another copy of the SDK.
const isRefusal = (error: unknown): error is FailedCondition =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

const failedConditionOf = (write: Promise<unknown>): Promise<FailedCondition | undefined> =>
  write.then(
    () => undefined,
    (error) => (isRefusal(error) ? error : Promise.reject(error)),
  );

async function foundInstead(write: Promise<unknown>): Promise<Stored | undefined> {
  const refusal = await failedConditionOf(write);
  if (refusal === undefined) return undefined;
  if (refusal.Item === undefined) {
    throw new Error('DynamoDB left out the stored item. Try again.');
  }
  return numbersOf(refusal.Item);
}

/** By default, large numbers would become BigInt. */
export const numbersOf = (item: Record<string, AttributeValue>): Stored =>
  unmarshall(item, { wrapNumbers: Number });
