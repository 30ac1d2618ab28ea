import { isDeepStrictEqual } from 'node:util';
import { MAX_VERSION } from '../../functions/domain/job.ts';
import { type Item, itemAttributes, jobAttributes } from '../../functions/store/items.ts';
import { keyAttributes } from '../../functions/store/keys.ts';
import type { Client } from './interface.ts';
import type { Table } from './table.ts';
import { type Stored, updateIf } from './write-if.ts';
import type { WriteLimit } from './write-limit.ts';

const { tenant, job } = itemAttributes;
const { status, version, fence, previousStatus, changedAt, changedBy, actor } = jobAttributes;

/** An import that replaces a job removes these. Without `previous_status`, the pipe sends no event for the import. */
const HISTORY: readonly string[] = [previousStatus, changedAt, changedBy, actor];

/**
 * A stored job that differs from `item` gets the new status and the next version, and loses its history. The stored
 * fence and `last_change_id` stay, so that a late attempt of an applied API request changes nothing.
 * @throws Error that names the line if the stored version or fence is invalid.
 */
export async function writeJob(
  table: Table<Client>,
  item: Item,
  line: number,
  limit?: WriteLimit,
): Promise<void> {
  const { pk, sk, ...members } = item;
  let wanted: Stored = item;
  const isNew = { condition: `attribute_not_exists(#${keyAttributes.partitionKey})` };
  let stored = await updateIf(table, item, { set: members, ...isNew }, limit);
  // An earlier import, or an attempt whose response was lost, may have stored exactly what is wanted.
  while (stored !== undefined && !isDeepStrictEqual(stored, wanted)) {
    const { [version]: current, [fence]: guard = 0 } = stored;
    const isVersion = current === undefined || (isCount(current) && current >= 1);
    if (!isVersion || !isCount(guard)) {
      throw new Error(
        `The stored job of line ${line} has an invalid version or fence. Correct the job: ` +
          'docs/runbooks/alarms.md, "Stored data invalid".',
      );
    }
    const set = {
      [tenant]: item[tenant],
      [job]: item[job],
      [status]: item[status],
      [version]: (current ?? 0) + 1,
    };
    const kept = Object.entries(stored).filter(([name]) => !HISTORY.includes(name));
    wanted = { ...Object.fromEntries(kept), ...set };
    const update = { set, remove: HISTORY, ...isGoneOrAt(current) };
    stored = await updateIf(table, item, update, limit);
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value <= MAX_VERSION;

/** Requires the version that was read, so that a late attempt of this import changes nothing after a later update. */
const isGoneOrAt = (current: number | undefined) => {
  const isGone = `attribute_not_exists(#${keyAttributes.partitionKey})`;
  return current === undefined
    ? { condition: `attribute_not_exists(#${version})` }
    : { condition: `${isGone} OR #${version} = :current`, values: { current } };
};
