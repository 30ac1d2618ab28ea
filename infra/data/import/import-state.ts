import { revisionAttributes } from '../../../functions/store/items.ts';
import { type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { UsageError } from '../../command/run-command.ts';
import { filesOf } from '../candidate/candidate-files.ts';
import { unchanged } from '../candidate/remove-application.ts';
import { startDatabaseClock } from '../records/database-time.ts';
import { SECONDS_A_DAY, TOMBSTONE_DAYS } from '../records/expiry.ts';
import { inParallel } from '../records/in-parallel.ts';
import { CLOCK_MARGIN_MS } from '../records/record-schema.ts';
import { readItem, type Table } from '../records/table.ts';
import { put, transact } from '../records/transaction.ts';
import type { LineRecord, WriteBlock } from './import-block.ts';
import { hasExpired, ImportStopped } from './import-records.ts';
import { importIntoTable, type TableImportOptions } from './import-table.ts';
import { readApplicationKey } from './parse-line.ts';
import type { StoredEntry } from './report.ts';
import { isOlder, readStoredState, type StoredState } from './stored-state.ts';

const { revision: REVISION, removed } = revisionAttributes;

/** Why nothing was removed. `unreadable`: a line whose ids cannot be read may be about any application. */
export type Hindrance = 'unreadable' | 'no applications' | 'no limit' | 'limit';

export interface StateOptions
  extends Omit<TableImportOptions, 'replaces' | 'isState' | 'fromLine' | 'writerOf'> {
  /** When the download began, in milliseconds since 1970: the lines hold every application that the source had then. */
  completeAt: number;
  /** Without it, nothing is removed. */
  removeAtMost?: number | undefined;
  onScanned: (applications: number) => void;
  /** Called before a removal, after which nothing else names the files. If it rejects, the run stops. */
  onStored: (entry: StoredEntry) => Promise<void>;
  found: StateCounts;
}

export const zeroStateCounts = () => ({
  /** Not in the lines, and removed. */
  removed: 0,
  /** Not in the lines, but kept because of a hindrance. */
  missing: 0,
  invalidRevision: 0,
});
export type StateCounts = ReturnType<typeof zeroStateCounts>;

/**
 * Makes the table match a source as of `completeAt`, for tenants with applications in the lines. Removes what the lines
 * lack, unless there is a hindrance.
 * @throws UsageError if `completeAt` is too far ahead of DynamoDB's time, or too old; ImportStopped.
 */
export async function importState(
  table: Table,
  options: StateOptions,
): Promise<Hindrance | undefined> {
  const { completeAt, removeAtMost, onEntry, onScanned, onStored, found, signal } = options;
  const clock = options.clock ?? (await startDatabaseClock(table));
  checkTime(completeAt, clock());
  const revision = completeAt - CLOCK_MARGIN_MS;
  const state = await readStoredState(table, { revision, now: clock(), onScanned, signal });
  let isUnreadable = false;
  await importIntoTable(table, {
    ...options,
    clock,
    isState: true,
    writerOf: (write) => stateWriter(state, write, { revision, clock }),
    onEntry: (entry, bytes) => {
      if (entry.outcome === 'refused' && !isOfAnotherType(entry.ids)) {
        const key = readApplicationKey(bytes);
        if (key === undefined) isUnreadable = true;
        else state.name(key);
      }
      return onEntry?.(entry, bytes);
    },
  });
  const hindranceOf = (missing: number): Hindrance | undefined => {
    if (!state.namesApplications) return 'no applications';
    if (missing === 0) return undefined;
    if (isUnreadable) return 'unreadable';
    if (removeAtMost === undefined) return 'no limit';
    return missing > removeAtMost ? 'limit' : undefined;
  };
  const count = state.countMissing();
  const hindrance = hindranceOf(count);
  try {
    for (const key of state.withInvalidRevision()) {
      found.invalidRevision += 1;
      await onStored({ key, outcome: 'invalid_revision' });
    }
    if (hindrance === undefined) {
      await removeMissing(table, state.missing(), { ...options, revision, clock });
    } else {
      found.missing = count;
      for (const key of state.missing()) await onStored({ key, outcome: 'missing' });
    }
  } catch (error) {
    throw new ImportStopped(signal?.aborted ? signal.reason : error, 1);
  }
  return hindrance;
}

/**
 * @throws UsageError if `completeAt` is over a minute ahead, or so old that DynamoDB may have deleted erasures and
 *   removals made since.
 */
function checkTime(completeAt: number, now: number): void {
  if (completeAt > now + CLOCK_MARGIN_MS) {
    throw new UsageError("--complete-at is more than a minute ahead of DynamoDB's time.");
  }
  if (completeAt < now - TOMBSTONE_DAYS * SECONDS_A_DAY * 1000) {
    throw new UsageError(
      `--complete-at is more than ${TOMBSTONE_DAYS} days ago: download FILE again.`,
    );
  }
}

const isOfAnotherType = ({ type }: { readonly type?: unknown }) =>
  type === 'job' || type === 'removal' || type === 'erasure';

/**
 * Leaves out applications that are stored already, and gives the others the state's revision. If several lines are
 * about one application, only the first that is stored counts, or each run would overwrite one with another.
 */
function stateWriter(
  state: StoredState,
  write: WriteBlock,
  { revision, clock }: { revision: number; clock: () => number },
): WriteBlock {
  const withoutWrite = (record: LineRecord) => {
    const { item } = record;
    const now = clock();
    state.name(item);
    state.openTenant(item);
    if (state.lineOf(item) !== undefined) return 'repeated';
    // A line with its own expiry may bring the stored one forward or postpone it; other lines keep the stored expiry.
    const isOver = hasExpired(record, now)
      ? !state.isLive(item, now)
      : !record.hasOwnExpiry && state.isExpired(item, now);
    if (isOver) return 'expired';
    return state.isEqual(record) ? 'unchanged' : undefined;
  };
  return async (records, onDone) => {
    const left = new Map<LineRecord, LineRecord>();
    for (const record of records) {
      const isApplication = record.kind === 'application';
      const outcome = isApplication ? withoutWrite(record) : undefined;
      const firstLine = isApplication ? state.lineOf(record.item) : undefined;
      if (outcome === 'unchanged') state.setLine(record.item, record.line);
      if (outcome !== undefined) onDone(record, outcome, firstLine ? { firstLine } : {});
      else {
        const item = isApplication ? { ...record.item, [REVISION]: revision } : record.item;
        left.set({ ...record, item }, record);
      }
    }
    await write([...left.keys()], (written, outcome, detail) => {
      const { kind, item, line } = written;
      if (outcome === 'stored' && kind === 'application') state.setLine(item, line);
      onDone(left.get(written) ?? written, outcome, detail);
    });
  };
}

/**
 * Replaces each application with a tombstone, unless it was written since the scan. The tombstone is one millisecond
 * older than the state, so that a corrected file from the same download can bring the application back.
 */
async function removeMissing(
  table: Table,
  keys: Iterable<Key>,
  options: StateOptions & { revision: number; clock: () => number },
): Promise<void> {
  const { revision, clock, onStored, found, signal } = options;
  const expiry = Math.ceil(clock() / 1000) + TOMBSTONE_DAYS * SECONDS_A_DAY;
  const rest = { [removed]: true, [REVISION]: revision - 1, [keyAttributes.timeToLive]: expiry };
  const remove = async (key: Key): Promise<void> => {
    signal?.throwIfAborted();
    const item = await readItem(table, key);
    if (item === undefined || item[removed] !== undefined) return;
    if (!isOlder(item, revision)) return onStored({ key, outcome: 'kept' });
    await onStored({ key, outcome: 'removed', because: 'missing', files: filesOf(item) });
    const { condition, values } = unchanged(item);
    const isSame = { condition: `${condition} AND attribute_not_exists(#${removed})`, values };
    const refused = await transact(table, [put(table.name, { ...key, ...rest }, isSame)]);
    // Written or removed since it was read: look again.
    if (refused) return remove(key);
    found.removed += 1;
  };
  await inParallel(keys, remove, signal);
}
