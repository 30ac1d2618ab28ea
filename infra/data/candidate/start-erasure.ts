import { type Item, revisionAttributes } from '../../../functions/store/items.ts';
import { erasureKey, keyAttributes } from '../../../functions/store/keys.ts';
import { storeErasure } from '../records/conditional-writes.ts';
import { databaseTime } from '../records/database-time.ts';
import { SECONDS_A_DAY, TOMBSTONE_DAYS } from '../records/expiry.ts';
import { CLOCK_MARGIN_MS, REVISIONS } from '../records/record-schema.ts';
import { readItem, type Table } from '../records/table.ts';
import type { Candidate } from './find-applications.ts';

const { revision } = revisionAttributes;

const ERASURE_LIFETIME_S = TOMBSTONE_DAYS * SECONDS_A_DAY;

export interface StoredErasure {
  candidate: Candidate;
  revision: number;
}

export function revisionOf({ [revision]: value }: Item): number | undefined {
  const isRevision = typeof value === 'number' && Number.isInteger(value);
  return isRevision && value <= REVISIONS.maximum ? value : undefined;
}

/**
 * Greatest revision of a live write at `now`: the writer's clock may be a margin ahead, and it accepts a source that is
 * another margin ahead.
 */
export const greatestWritable = (now: number) => now + 2 * CLOCK_MARGIN_MS;

/**
 * Undefined if none is stored, it has expired, or its revision is so far ahead that it must be a mistake. A new erasure
 * then replaces it.
 */
export async function recordedErasure(
  table: Table,
  candidate: Candidate,
): Promise<StoredErasure | undefined> {
  const item = await readItem(table, erasureKey(candidate.tenant, candidate.id));
  const erased = item && revisionOf(item);
  if (item === undefined || erased === undefined) return undefined;
  const now = await databaseTime(table);
  const isExpired = Number(item[keyAttributes.timeToLive]) * 1000 <= now;
  return isExpired || erased > greatestWritable(now) ? undefined : { candidate, revision: erased };
}

/**
 * Blocks writes of the candidate's applications up to the stored revision, for 30 days.
 * @param atRevision by default DynamoDB's time plus the margin.
 * @returns the greater of `atRevision` and the revision already stored.
 */
export async function startErasure(
  table: Table,
  candidate: Candidate,
  atRevision?: number,
): Promise<number> {
  const now = await databaseTime(table);
  const item = {
    ...erasureKey(candidate.tenant, candidate.id),
    [revision]: atRevision ?? now + CLOCK_MARGIN_MS,
    [keyAttributes.timeToLive]: Math.ceil(now / 1000) + ERASURE_LIFETIME_S,
  };
  return storeErasure(table, item, greatestWritable(now));
}
