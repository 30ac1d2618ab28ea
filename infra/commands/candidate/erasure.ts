import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { isTimestamp } from '../../../functions/domain/timestamp.ts';
import {
  fileAttributes,
  type Item,
  itemAttributes,
  revisionAttributes,
} from '../../../functions/store/items.ts';
import { applicationKey, attributes, type Key } from '../../../functions/store/keys.ts';
import type { Table } from '../cli/table.ts';
import { revisionOf } from './erasure-record.ts';
import { type Candidate, jobOf, readApplication } from './find-applications.ts';

/**
 * The outcome for an application: removed; anonymised; already gone; or left as it is, because another
 * writer changed it at the same time.
 */
export type Outcome = 'removed' | 'anonymised' | 'gone' | 'changed';

/** What is done to each application; `item` is what was read of it. */
export type Erasure = (table: Table, candidate: Candidate, item: Item) => Promise<Outcome>;

/** Reasons for a cancelled transaction that may succeed later. */
const TEMPORARY = [
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
];

const DAY_MS = 24 * 60 * 60 * 1000;

/** Replaces what the contract never leaves null. No mail can reach `.invalid` (RFC 2606). */
const ANONYMOUS = { name: 'Erased', email: 'erased@erased.invalid' } as const;

const EXPIRY = attributes.timeToLive;

/** The attributes of an application that are kept for statistics. */
const KEPT = ['stage_id', 'stage_title', 'score', 'created_at', EXPIRY] as const;

const keyOf = ({ pk, sk }: Item): Key => ({ pk, sk });

/**
 * Removes a whole application, whatever its attributes are. If another writer gives it other files or
 * another revision in between, it stays for the next search: nobody has recorded the files, and the
 * revision may be later than the erasure.
 */
export async function remove(
  { client, name }: Table,
  _candidate: Candidate,
  item: Item,
): Promise<Outcome> {
  try {
    await client.send(
      new DeleteCommand({
        TableName: name,
        Key: keyOf(item),
        ...unchanged(item),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return 'removed';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item !== undefined) return 'changed';
    // A second attempt follows a lost response, most likely to an attempt that removed it.
    const { attempts = 1 } = error.$metadata;
    return attempts > 1 ? 'removed' : 'gone';
  }
}

/**
 * Replaces a candidate's application by an anonymous one, in one transaction, so that never both exist
 * nor neither. If another writer changes it in between, it stays for the next search. An application
 * that does not fit the contract, has a kept number that is not exact, or cannot be stored under a longer
 * id, is removed instead.
 */
export async function anonymise(table: Table, candidate: Candidate, item: Item): Promise<Outcome> {
  const { client, name: TableName } = table;
  const Item = anonymous(candidate, item);
  if (Item === undefined) return remove(table, candidate, item);
  const TransactItems = [
    { Delete: { TableName, Key: keyOf(item), ...unchanged(item, KEPT) } },
    { Put: { TableName, Item } },
  ];
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return 'anonymised';
  } catch (error) {
    if (isTooLarge(error)) return remove(table, candidate, item);
    if (!(error instanceof TransactionCanceledException && isTemporary(error))) throw error;
    if (error.CancellationReasons?.[0]?.Code !== 'ConditionalCheckFailed') return 'changed';
    // A number with more digits than a double never equals what was read of it.
    const isSame = isDeepStrictEqual(await readApplication(table, keyOf(item)), item);
    return isSame ? remove(table, candidate, item) : 'changed';
  }
}

const isTemporary = ({ CancellationReasons: reasons = [] }: TransactionCanceledException) =>
  reasons.every(({ Code: code = 'None' }) => TEMPORARY.includes(code));

/** Whether DynamoDB refuses an item that a transaction puts. */
const isTooLarge = (error: unknown) =>
  error instanceof TransactionCanceledException
    ? error.CancellationReasons?.[1]?.Code === 'ValidationError'
    : error instanceof Error && error.name === 'ValidationException';

/**
 * The condition that an application exists, and its files, its revision and the kept attributes are still
 * as they were read. A file is a text: other values are not compared, because they may not be sent as they
 * were read.
 */
function unchanged(item: Item, kept: readonly string[] = []) {
  const { revision } = revisionAttributes;
  const names = [attributes.partitionKey, ...fileAttributes, revision, ...kept];
  const exact = revisionOf(item) === undefined ? kept : [revision, ...kept];
  const values: Record<string, unknown> = {};
  const conditions = names.map((name) => {
    if (item[name] === undefined) return `attribute_not_exists(#${name})`;
    const isCompared = typeof item[name] === 'string' || exact.includes(name);
    values[`:${name}`] = isCompared ? item[name] : 'S';
    return isCompared ? `#${name} = :${name}` : `NOT attribute_type(#${name}, :${name})`;
  });
  return {
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: values,
  };
}

/**
 * What remains of an application without the person: the job, the stage, the score and the day, under a
 * random id. The candidate's id does not remain, nor a key derived from it: someone who knows the id
 * would recognise the person (GDPR, recital 26). Times are cut to the beginning of the day, because a
 * time in milliseconds identifies a person in other records. The index does not contain it.
 * @returns undefined if the key or the kept attributes do not fit the contract.
 */
function anonymous(candidate: Candidate, item: Item): Item | undefined {
  const job = jobOf(candidate, item);
  const { stage_id, stage_title, score, created_at, [EXPIRY]: expiry } = item;
  if (typeof stage_id !== 'string' || typeof stage_title !== 'string') return undefined;
  if (typeof created_at !== 'string' || !isTimestamp(created_at)) return undefined;
  if (job === undefined || ![score, expiry].every(isStorable)) return undefined;
  const user_id = randomUUID();
  return {
    ...applicationKey(candidate.tenant, job, user_id),
    [itemAttributes.tenant]: candidate.tenant,
    [itemAttributes.job]: job,
    user_id,
    ...ANONYMOUS,
    stage_id,
    stage_title,
    ...(typeof score === 'number' && { score }),
    created_at: new Date(dayOf(Date.parse(created_at))).toISOString(),
    ...(typeof expiry === 'number' && { [EXPIRY]: dayOf(expiry * 1000) / 1000 }),
  };
}

/** Whether it is null, missing, or a number that the SDK sends. */
const isStorable = (value: unknown) =>
  (value ?? null) === null ||
  (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER);

/** The beginning of the day, in UTC; both in milliseconds since the epoch. */
const dayOf = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;
