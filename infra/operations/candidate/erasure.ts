import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Key } from '../../../functions/store/keys.ts';
import { anonymous, KEPT } from './anonymise.ts';
import type { Candidate, Table } from './find-applications.ts';

/**
 * What has become of an application: removed, or anonymised; gone before; or left as it is, because
 * another has changed it at the same time.
 */
export type Outcome = 'removed' | 'anonymised' | 'gone' | 'changed';

/** What is done to each application. */
export type Erasure = (table: Table, candidate: Candidate, key: Key) => Promise<Outcome>;

/** Why a transaction may be cancelled and yet succeed another time. */
const PASSING = [
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
];

/** Removes an application, whole. */
export async function remove(
  { client, name }: Table,
  _candidate: Candidate,
  key: Key,
): Promise<Outcome> {
  try {
    await client.send(
      new DeleteCommand({
        TableName: name,
        Key: key,
        ConditionExpression: 'attribute_exists(pk)',
      }),
    );
    return 'removed';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Sent again, most likely after a lost answer: then the first sending has removed it.
    const { attempts = 1 } = error.$metadata;
    return attempts > 1 ? 'removed' : 'gone';
  }
}

/**
 * Puts an anonymous application in the place of a candidate's, in one transaction: there is never
 * both of them nor neither. What another writes in between is not lost: it is read again. What does
 * not fit the contract cannot be anonymised, and is removed.
 */
export async function anonymise(table: Table, candidate: Candidate, key: Key): Promise<Outcome> {
  const { client, name: TableName } = table;
  const { Item: item } = await client.send(
    new GetCommand({ TableName, Key: key, ConsistentRead: true }),
  );
  if (item === undefined) return 'gone';
  const Item = anonymous(candidate.tenant, key, item);
  if (Item === undefined) return remove(table, candidate, key);
  const TransactItems = [
    { Delete: { TableName, Key: key, ...unchanged(item) } },
    { Put: { TableName, Item } },
  ];
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return 'anonymised';
  } catch (error) {
    if (error instanceof TransactionCanceledException && isPassing(error)) return 'changed';
    throw error;
  }
}

const isPassing = ({ CancellationReasons: reasons = [] }: TransactionCanceledException) =>
  reasons.every(({ Code: code = 'None' }) => PASSING.includes(code));

/** The condition that an application is still as it was read, in what is kept of it. */
function unchanged(item: Readonly<Record<string, unknown>>) {
  const held = KEPT.filter((name) => item[name] !== undefined);
  const conditions = KEPT.map((name) =>
    item[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
  );
  return {
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(KEPT.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(held.map((name) => [`:${name}`, item[name]])),
  };
}
