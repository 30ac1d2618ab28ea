import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '../../../functions/store/items.ts';
import { type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { databaseTime } from '../../records/database-time.ts';
import { inParallel } from '../../records/in-parallel.ts';
import type { Table } from '../../records/table.ts';
import { isTombstone } from '../cli/item-name.ts';
import { pluralize, quoted } from '../cli/output.ts';
import { filesOf } from './candidate-files.ts';
import {
  type Candidate,
  findApplications,
  isOwn,
  readApplicationItem,
  type Search,
} from './find-applications.ts';
import { removeUnchanged } from './remove-application.ts';
import { revisionOf, startErasure } from './start-erasure.ts';

export interface SearchLimits {
  /**
   * From the record of an erasure to the last search of the index, which lags behind the table. AWS names no bound for
   * it: `--scan` needs none.
   */
  indexLagMs: number;
  pauseMs: number;
  /** Gives up after this many searches in a row that find applications and remove none. */
  idleSearches: number;
}

export const searchLimits: SearchLimits = { indexLagMs: 10_000, pauseMs: 1000, idleSearches: 60 };

const skipReasons = {
  foreign: 'which was found for the candidate, but names somebody else',
  later: 'which was written after the erasure',
};

export type SkipReason = keyof typeof skipReasons;

export const skipped = (name: string, reason: SkipReason) =>
  `skipped: ${name}, ${skipReasons[reason]}`;

export interface RemoveOptions {
  table: Table;
  search: Search;
  /** Gets the S3 URIs of the item's files. If it rejects, the item is not removed. */
  beforeRemoval: (key: Key, files: readonly string[]) => Promise<void>;
  onRemoved: (key: Key) => Promise<void>;
  /** Called once for an item, however many searches find it. */
  onSkipped: (key: Key, reason: SkipReason) => Promise<void>;
  limits: SearchLimits;
  pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  signal?: AbortSignal | undefined;
}

const systemPause = (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal });

export interface StoredErasure {
  candidate: Candidate;
  revision: number;
}

/**
 * Records the erasure, and removes what is stored. From the record on, no write passes: each checks the erasure in its
 * transaction. So whatever the erasure forbids was stored before, and one consistent search finds it.
 *
 * Removes everything of the candidate, unless its revision is greater than the erasure's and not ahead of DynamoDB's
 * time: such an application was made after the erasure. Before removing one that is ahead, raises the erasure's
 * revision, so that a retry of its write does not store it again.
 *
 * May stop at any point; another call then removes the rest.
 * @param options `onRecorded` is called again if the erasure's revision is raised.
 * @throws Error if `idleSearches` searches in a row find applications but can remove none; the signal's reason.
 */
export async function eraseCandidate({
  candidate,
  onRecorded,
  ...options
}: RemoveOptions & {
  candidate: Candidate;
  onRecorded: (revision: number) => Promise<void>;
}): Promise<void> {
  const erasure = { candidate, revision: await startErasure(options.table, candidate) };
  await onRecorded(erasure.revision);
  let last = Promise.resolve();
  const raise = (least: number) => {
    last = last.then(async () => {
      if (least <= erasure.revision) return;
      erasure.revision = await startErasure(options.table, candidate, least);
      await onRecorded(erasure.revision);
    });
    return last;
  };
  await removeAll(erasure, options, raise);
}

/** As `eraseCandidate`, for erasures that an import has recorded. It raises none. */
export async function removeErased(
  erasures: readonly StoredErasure[],
  options: Omit<RemoveOptions, 'search'>,
): Promise<void> {
  if (erasures.length === 0) return;
  const { limits, signal, pause = systemPause } = options;
  await pause(limits.indexLagMs, signal);
  const remove = (erasure: StoredErasure) => removeAll(erasure, { ...options, search: 'index' });
  await inParallel(erasures, remove, signal);
}

/** How many searches in a row must find nothing to remove. The index may lack the newest applications for a moment. */
const EMPTY_SEARCHES = 2;

async function removeAll(
  erasure: StoredErasure,
  options: RemoveOptions,
  raise?: (least: number) => Promise<void>,
): Promise<void> {
  const { search, limits, signal, pause = systemPause } = options;
  // The removals of an import have waited for the index before.
  const indexLagMs = raise ? limits.indexLagMs : 0;
  const skippedKeys = new Set<string>();
  let lagMs = indexLagMs;
  for (let empty = 0, idle = 0; ; ) {
    const { revision } = erasure;
    signal?.throwIfAborted();
    const counts = await removeFound(erasure, options, skippedKeys, raise);
    const { removed = 0, gone = 0, changed = 0 } = counts;
    const isRaised = erasure.revision > revision;
    if (search === 'scan' && changed === 0 && !isRaised) return;
    empty = removed + gone + changed === 0 ? empty + 1 : 0;
    if (isRaised) lagMs = indexLagMs;
    if (search === 'index' && empty >= EMPTY_SEARCHES) return;
    idle = removed === 0 && empty === 0 ? idle + 1 : 0;
    if (idle === limits.idleSearches) {
      throw new Error(`${pluralize(gone + changed, 'application')} can be found but not erased.`);
    }
    await pause(lagMs || limits.pauseMs, signal);
    lagMs = 0;
  }
}

/** `gone`: the index still lists it. `changed`: since it was read, so the next search looks at it again. */
type Result = 'removed' | 'skipped' | 'gone' | 'changed';

async function removeFound(
  erasure: StoredErasure,
  options: RemoveOptions,
  skippedKeys: Set<string>,
  raise?: (least: number) => Promise<void>,
): Promise<Partial<Record<Result, number>>> {
  const { table, search, beforeRemoval, onRemoved, onSkipped, signal } = options;
  const counts: Partial<Record<Result, number>> = {};
  const removeOne = async ({ pk, sk }: Key): Promise<Result> => {
    const key = { pk, sk };
    const name = quoted(key);
    if (skippedKeys.has(name)) return 'skipped';
    const item: Item | undefined = await readApplicationItem(table, key);
    if (item === undefined) return 'gone';
    // A tombstone stays: its only personal data are ids, and until it expires, it blocks older writes.
    if (isTombstone(item) && typeof item[keyAttributes.timeToLive] === 'number') return 'skipped';
    const reason = await skipReasonOf(item, erasure, table);
    if (reason !== undefined) {
      skippedKeys.add(name);
      await onSkipped(key, reason);
      return 'skipped';
    }
    const revision = revisionOf(item) ?? 0;
    if (revision > erasure.revision) await raise?.(revision);
    await beforeRemoval(key, filesOf(item));
    if (!(await removeUnchanged(table, item))) return 'changed';
    await onRemoved(key);
    return 'removed';
  };
  const found = await findApplications(table, erasure.candidate, search, signal);
  const removeAndCount = async (key: Key) => {
    const result = await removeOne(key);
    counts[result] = (counts[result] ?? 0) + 1;
  };
  await inParallel(found, removeAndCount, signal);
  return counts;
}

async function skipReasonOf(
  item: Item,
  { candidate, revision: erased }: StoredErasure,
  table: Table,
): Promise<SkipReason | undefined> {
  if (!isOwn(candidate, item)) return 'foreign';
  const revision = revisionOf(item) ?? 0;
  if (revision <= erased) return undefined;
  // DynamoDB's time is exact only to the second.
  return revision < (await databaseTime(table)) + 1000 ? 'later' : undefined;
}
