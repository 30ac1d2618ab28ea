import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { erasureKey, keyAttributes } from '../../../functions/store/keys.ts';
import { storeErasure } from '../../records/conditional-writes.ts';
import { databaseTime } from '../../records/database-time.ts';
import { SECONDS_A_DAY, TOMBSTONE_DAYS } from '../../records/expiry.ts';
import { CLOCK_MARGIN_MS, REVISIONS } from '../../records/record-schema.ts';
import type { Table } from '../../records/table.ts';
import type { Candidate } from './find-applications.ts';

const { revision } = revisionAttributes;

const ERASURE_LIFETIME_S = TOMBSTONE_DAYS * SECONDS_A_DAY;

export function revisionOf({ [revision]: value }: Item): number | undefined {
  const isRevision = typeof value === 'number' && Number.isInteger(value);
  return isRevision && value <= REVISIONS.maximum ? value : undefined;
}

/**
 * Blocks writes of the candidate's applications up to the stored revision.
 * @param least revision of an application to remove, so that a retry of its write cannot bring it back.
 * @returns the greatest of DynamoDB's time plus `CLOCK_MARGIN_MS`, `least`, and the revision already stored.
 */
export async function startErasure(table: Table, candidate: Candidate, least = 0): Promise<number> {
  const now = await databaseTime(table);
  const erased = Math.max(now + CLOCK_MARGIN_MS, least);
  const expiry = Math.ceil(now / 1000) + ERASURE_LIFETIME_S;
  const key = erasureKey(candidate.tenant, candidate.id);
  return storeErasure(table, { ...key, [revision]: erased, [keyAttributes.timeToLive]: expiry });
}
