import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { erasureKey, type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { CLOCK_MARGIN_MS, storeErasure } from '../../records/conditional-writes.ts';
import { SECONDS_A_DAY, TOMBSTONE_DAYS } from '../../records/expiry.ts';
import { REVISIONS } from '../../records/record-schema.ts';
import { responseTime } from '../../records/response-time.ts';
import type { Table } from '../../records/table.ts';
import type { Candidate } from './find-applications.ts';

const { revision } = revisionAttributes;

const ERASURE_LIFETIME_S = TOMBSTONE_DAYS * SECONDS_A_DAY;

export function revisionOf({ [revision]: value }: Item): number | undefined {
  const isRevision = typeof value === 'number' && Number.isInteger(value);
  return isRevision && value <= REVISIONS.maximum ? value : undefined;
}

/**
 * From then on, live writes and imports store no application of the candidate with a revision up to the erasure's.
 * The erasure's revision is DynamoDB's time plus a margin, or `least` or the stored one if that is greater.
 * @param least the revision of a removed application, which a retry of its write must not store again.
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
  return storeErasure(table, { ...key, [revision]: erased, [keyAttributes.timeToLive]: expiry });
}

/** In milliseconds since 1970. */
export async function databaseTime({ client, name }: Table, key: Key): Promise<number> {
  const command = new GetCommand({ TableName: name, Key: { ...key } });
  const time = responseTime(command);
  await client.send(command);
  return time();
}
