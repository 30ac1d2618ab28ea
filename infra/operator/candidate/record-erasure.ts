import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { isObject } from '../../../functions/domain/own-value.ts';
import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { erasureKey, type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { SECONDS_A_DAY, TOMBSTONE_DAYS } from '../../records/expiry.ts';
import { REVISIONS } from '../../records/record-schema.ts';
import type { Table } from '../../records/table.ts';
import { putIf } from '../../records/write-if.ts';
import type { Candidate } from './find-applications.ts';

const { revision } = revisionAttributes;

/**
 * How far an erasure's revision is ahead of DynamoDB's time: that time has no milliseconds, and the clock of a program
 * that wrote an application before the erasure may be a few seconds ahead.
 */
const CLOCK_MARGIN_MS = 5000;

const ERASURE_LIFETIME_S = TOMBSTONE_DAYS * SECONDS_A_DAY;

/** Returns an item's revision; undefined if it is not a valid one. */
export function revisionOf({ [revision]: value }: Item): number | undefined {
  const isRevision = typeof value === 'number' && Number.isInteger(value);
  return isRevision && value <= REVISIONS.maximum ? value : undefined;
}

/**
 * Stores the revision of a candidate's erasure: DynamoDB's time plus a margin. From then on, the writer refuses
 * applications of the candidate with the same or a smaller revision. A stored revision never gets smaller.
 * @param least the minimum revision to store. A stored application may have a revision ahead of DynamoDB's time, and a
 *   retry of its write must not store the application again.
 * @returns the stored revision.
 */
export async function recordErasure(
  table: Table,
  candidate: Candidate,
  least = 0,
): Promise<number> {
  const key = erasureKey(candidate.tenant, candidate.id);
  const now = await databaseTime(table, key);
  const erased = Math.max(now + CLOCK_MARGIN_MS, least);
  const expiry = Math.ceil(now / 1000) + ERASURE_LIFETIME_S;
  const item = { ...key, [revision]: erased, [keyAttributes.timeToLive]: expiry };
  const found = await putIf(table, item, {
    // A stored value that is not a valid revision is replaced, too.
    condition: `NOT (#${revision} > :erased AND #${revision} <= :last)`,
    values: { erased, last: REVISIONS.maximum },
  });
  // Store the greater revision that was found again, because the write extends its expiry.
  return found ? recordErasure(table, candidate, Number(found[revision])) : erased;
}

/** Returns the time in the `Date` header of a response, in milliseconds. This machine's clock may be wrong. */
async function databaseTime({ client, name }: Table, key: Key): Promise<number> {
  const command = new GetCommand({ TableName: name, Key: { ...key } });
  let date: unknown;
  command.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { response } = result;
      if (isObject(response) && isObject(response.headers)) date = response.headers.date;
      return result;
    },
    { step: 'deserialize' },
  );
  await client.send(command);
  const time = Date.parse(String(date));
  if (Number.isNaN(time)) throw new Error('DynamoDB sent a response without a time.');
  return time;
}
