import { MAX_VERSION } from '../../../functions/domain/job.ts';
import { type Item, itemAttributes, jobAttributes } from '../../../functions/store/items.ts';
import { keyAttributes } from '../../../functions/store/keys.ts';
import { createJobItem } from '../records/conditional-writes.ts';
import type { Client } from '../records/published-types.ts';
import { CLOCK_MARGIN_MS } from '../records/record-schema.ts';
import type { Table } from '../records/table.ts';
import { type Limit, type Stored, transact, update } from '../records/transaction.ts';

const { tenant, job } = itemAttributes;
const { status, version, fence, previousStatus, changedAt, changedBy, actor } = jobAttributes;

/** Once `previous_status` is gone, the pipe does not send an event for the import. */
const HISTORY: readonly string[] = [previousStatus, changedAt, changedBy, actor];

/**
 * Creates the job, or sets the status of the stored one. If that changes the status, the version rises, and the history
 * except `last_change_id` is removed. The fence rises above that of every earlier API request, so that a late attempt
 * changes nothing.
 * @param now DynamoDB's time, in milliseconds since 1970.
 * @throws Error that names the line if the stored version or fence is invalid.
 */
export async function replaceJob(
  table: Table<Client>,
  item: Item,
  { line, now, limit }: { line: number; now: number; limit?: Limit },
): Promise<void> {
  let stored = await createJobItem(table, item, limit);
  while (stored !== undefined) {
    const change = update(table.name, item, replacementOf(stored, item, line, now));
    [stored] = (await transact(table, [change], limit)) ?? [];
  }
}

function replacementOf(stored: Stored, item: Item, line: number, now: number) {
  const { [version]: current, [fence]: storedFence = 0 } = stored;
  const isVersion = current === undefined || (isCount(current) && current >= 1);
  if (!isVersion || !isCount(storedFence)) {
    throw new Error(
      `The stored job of line ${line} has an invalid version or fence. Correct the job: ` +
        'docs/runbooks/alarms.md, "Stored data invalid".',
    );
  }
  const isSame = stored[status] === item[status] && current !== undefined;
  const isGone = `attribute_not_exists(#${keyAttributes.partitionKey})`;
  const isUnchanged =
    current === undefined ? `attribute_not_exists(#${version})` : `#${version} = :current`;
  return {
    set: {
      [tenant]: item[tenant],
      [job]: item[job],
      [status]: item[status],
      [version]: isSame ? current : (current ?? 0) + 1,
      [fence]: Math.max(storedFence + 1, now + CLOCK_MARGIN_MS),
    },
    remove: isSame ? [] : HISTORY,
    condition: `${isGone} OR (${isUnchanged} AND (attribute_not_exists(#${fence}) OR #${fence} < :${fence}))`,
    ...(current !== undefined && { values: { current } }),
  };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value <= MAX_VERSION;
