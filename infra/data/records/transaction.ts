import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  type ReturnValuesOnConditionCheckFailure,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../../functions/store/items.ts';
import { type Key, keyAttributes } from '../../../functions/store/keys.ts';
import type { Client } from './published-types.ts';
import type { Table } from './table.ts';

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

export const put = (name: string, item: Item, condition?: Condition): TransactWriteItem => ({
  Put: { ...(condition ? inputOf(name, condition) : { TableName: name }), Item: marshall(item) },
});

/** Keeps attributes that are neither in `set` nor in `remove`. */
export function update(
  name: string,
  { pk, sk }: Key,
  { set, keep = [], remove = [], condition, values }: Update,
): TransactWriteItem {
  const assignments = Object.keys(set).map((each) =>
    keep.includes(each) ? `#${each} = if_not_exists(#${each}, :${each})` : `#${each} = :${each}`,
  );
  const expression = [
    `SET ${assignments.join(', ')}`,
    ...(remove.length > 0 ? [`REMOVE ${remove.map((each) => `#${each}`).join(', ')}`] : []),
  ].join(' ');
  return {
    Update: {
      ...inputOf(name, { condition, values: { ...set, ...values } }, expression),
      Key: marshall({ pk, sk }),
      UpdateExpression: expression,
    },
  };
}

export const check = (name: string, { pk, sk }: Key, condition: Condition): TransactWriteItem => ({
  ConditionCheck: { ...inputOf(name, condition), Key: marshall({ pk, sk }) },
});

export const remove = (name: string, { pk, sk }: Key, condition: Condition): TransactWriteItem => ({
  Delete: { ...inputOf(name, condition), Key: marshall({ pk, sk }) },
});

/** Collects the names that the expressions use: DynamoDB rejects unused ones. */
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

export interface Limit {
  /** Ends the request under way, which is then not repeated. */
  signal?: AbortSignal | undefined;
  /** How long to repeat after conflicts, on top of the SDK's own retries. */
  repeatMs?: number;
}

/** Must be far less than ten minutes, after which DynamoDB forgets a `ClientRequestToken`. */
const REPEAT_MS = 5000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 800;

/** A small record can make an item too large: an update keeps stored attributes. */
export class ItemTooLarge extends Error {
  override readonly name = 'ItemTooLarge';
}

/**
 * Applies all actions or none (TransactWriteItems, DynamoDB API Reference). The attempts share a token, so DynamoDB
 * applies the actions at most once, however late or often they arrive. Unlike the SDK, tries again after a conflict
 * with another transaction.
 * @returns undefined if the actions were applied. Otherwise, for each action whose condition failed, the stored item
 *   (`{}` if there is none).
 * @throws ItemTooLarge; the SDK's error; the signal's reason.
 */
export async function transact(
  { client }: Table<Client>,
  actions: readonly TransactWriteItem[],
  { signal, repeatMs = REPEAT_MS }: Limit = {},
): Promise<readonly (Stored | undefined)[] | undefined> {
  const input = { TransactItems: [...actions], ClientRequestToken: crypto.randomUUID() };
  const options = signal ? { abortSignal: signal } : {};
  const end = performance.now() + repeatMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      await client.send(new TransactWriteItemsCommand(input), options);
      return undefined;
    } catch (error) {
      const conflicting = conflictingItems(error, actions);
      if (conflicting) return conflicting;
      if (isTooLarge(error)) throw new ItemTooLarge('The item is too large.', { cause: error });
      if (!isConflict(error) || performance.now() > end) throw error;
    }
    await sleep(Math.random() * pauseMs, undefined, { signal });
  }
}

interface Reason {
  readonly Code?: string;
  readonly Message?: string;
  readonly Item?: Record<string, AttributeValue>;
}

// Compares names, not the SDK's classes: the caller may use another copy of the SDK.
const hasName = (error: unknown, name: string): error is Error =>
  error instanceof Error && error.name === name;

const isCancelled = (
  error: unknown,
): error is Error & { readonly CancellationReasons?: readonly Reason[] } =>
  hasName(error, 'TransactionCanceledException');

const reasonsOf = (error: unknown) => (isCancelled(error) ? (error.CancellationReasons ?? []) : []);

/** A failed condition decides, even if other actions conflicted. */
function conflictingItems(error: unknown, actions: readonly TransactWriteItem[]) {
  const reasons = reasonsOf(error);
  const isFailed = ({ Code }: Reason) => Code === 'ConditionalCheckFailed';
  if (!reasons.some(isFailed)) return undefined;
  return reasons.map((reason, at) =>
    isFailed(reason) ? conflictingItem(reason, actions[at]) : undefined,
  );
}

const COMPARES_KEY = `#${keyAttributes.partitionKey} = `;

function conflictingItem({ Item }: Reason, action: TransactWriteItem | undefined): Stored {
  if (Item) return numbersOf(Item);
  if (action?.Delete || action?.Put?.ConditionExpression?.startsWith(COMPARES_KEY)) return {};
  // Any other condition holds for a missing item, so the item must exist.
  throw new Error('DynamoDB left out the stored item. Try again.');
}

const isTooLarge = (error: unknown) =>
  [String(error), ...reasonsOf(error).map(({ Code, Message }) => `${Code}: ${Message}`)].some(
    (fault) => /^Validation(Exception|Error): .*item size/i.test(fault),
  );

const PASSING = ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];

function isConflict(error: unknown): boolean {
  // An earlier attempt is still being applied.
  if (hasName(error, 'TransactionInProgressException')) return true;
  const reasons = reasonsOf(error);
  return reasons.length > 0 && reasons.every(({ Code = 'None' }) => PASSING.includes(Code));
}

/** By default, large numbers would become BigInt. */
const numbersOf = (item: Record<string, AttributeValue>): Stored =>
  unmarshall(item, { wrapNumbers: Number });
