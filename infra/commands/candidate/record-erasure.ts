import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { isRecord } from '../../../functions/domain/record.ts';
import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { attributes, erasureKey, type Key } from '../../../functions/store/keys.ts';
import { SECONDS_A_DAY, TOMBSTONE_DAYS } from '../../writer/expiry.ts';
import { REVISIONS } from '../../writer/record-schema.ts';
import type { Table } from '../cli/table.ts';
import type { Candidate } from './find-applications.ts';

const { revision } = revisionAttributes;

/**
 * How much later than DynamoDB's time an erasure is recorded, in milliseconds. The time of a response has no
 * milliseconds, and a program's clock may be a few seconds ahead when it dates a write that was made before.
 */
const CLOCK_MARGIN_MS = 5000;

/** How long an erasure is kept, in seconds. */
const KEPT_SECONDS = TOMBSTONE_DAYS * SECONDS_A_DAY;

/** Returns the revision of an item, in milliseconds since 1970; undefined if it has none that a writer accepts. */
export function revisionOf({ [revision]: value }: Item): number | undefined {
  const isRevision = typeof value === 'number' && Number.isInteger(value);
  return isRevision && value <= REVISIONS.maximum ? value : undefined;
}

/**
 * Records that a candidate is erased, as of DynamoDB's present time. Live writes then store nothing of the
 * candidate whose revision is not greater.
 * @param least the least revision to record: that of a stored application, whose clock may be ahead of
 *   DynamoDB's. A repeated write must not bring the application back.
 * @returns the revision of the erasure, which never gets smaller.
 */
export async function recordErasure(
  table: Table,
  candidate: Candidate,
  least = 0,
): Promise<number> {
  const key = erasureKey(candidate.tenant, candidate.id);
  const now = await databaseTime(table, key);
  const erased = Math.max(now + CLOCK_MARGIN_MS, least);
  const expiry = Math.ceil(now / 1000) + KEPT_SECONDS;
  try {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...key, [revision]: erased, [attributes.timeToLive]: expiry },
        // A stored value that is not a revision is replaced.
        ConditionExpression: `NOT (${revision} > :erased AND ${revision} <= :last)`,
        ExpressionAttributeValues: { ':erased': erased, ':last': REVISIONS.maximum },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return erased;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { [revision]: stored } = unmarshall(error.Item ?? {}, { wrapNumbers: Number });
    return recordErasure(table, candidate, stored);
  }
}

/**
 * Reads the time of DynamoDB, in milliseconds, from a response's `Date` header, which has no milliseconds. The
 * clock of this machine may be wrong.
 */
async function databaseTime({ client, name }: Table, key: Key): Promise<number> {
  const command = new GetCommand({ TableName: name, Key: { ...key } });
  let date: unknown;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { response } = result;
      if (isRecord(response) && isRecord(response.headers)) date = response.headers.date;
      return result;
    },
    { step: 'deserialize' },
  );
  await client.send(command);
  const time = Date.parse(String(date));
  if (Number.isNaN(time)) throw new Error('DynamoDB has sent a response without a time.');
  return time;
}
