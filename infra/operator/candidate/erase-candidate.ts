import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '../../../functions/store/items.ts';
import { erasureKey, type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { ConcurrencyLimit } from '../../records/concurrency-limit.ts';
import { CLOCK_MARGIN_MS } from '../../records/conditional-writes.ts';
import type { Table } from '../../records/table.ts';
import { WRITE_LIMIT_MS } from '../../records/write-limit.ts';
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
import { databaseTime, recordErasure, revisionOf } from './record-erasure.ts';
import { removeUnchanged } from './remove-application.ts';

/**
 * How many searches in a row must find nothing before an erasure ends. Two in the index, which may lack the newest
 * applications for a moment.
 */
const EMPTY_SEARCHES = { index: 2, scan: 1 } as const;

export interface SearchLimits {
  pauseMs: number;
  /** Gives up after this many searches in a row that find applications and remove none. */
  idleSearches: number;
  /** How long a live write that began before the erasure can stay under way. */
  lateWriteMs: number;
}

/** How long the last attempt of a write may take to reach DynamoDB. */
const LAST_ATTEMPT_MS = 5000;

export const searchLimits: SearchLimits = {
  pauseMs: 1000,
  idleSearches: 60,
  lateWriteMs: WRITE_LIMIT_MS + LAST_ATTEMPT_MS,
};

export type SkipReason = 'foreign' | 'later';

export interface EraseOptions {
  table: Table;
  candidate: Candidate;
  search: Search;
  /** Called again if the erasure's revision is raised. */
  onRecorded: (revision: number) => Promise<void>;
  /** Gets the S3 URIs of the item's files. If it rejects, the item is not removed. */
  beforeRemoval: (key: Key, files: readonly string[]) => Promise<void>;
  onRemoved: (key: Key) => Promise<void>;
  /** Called once for an item, however many searches find it. */
  onStay: (key: Key, reason: SkipReason) => Promise<void>;
  limits: SearchLimits;
  pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  signal?: AbortSignal | undefined;
}

const systemPause = (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal });

interface Progress {
  revision: number;
  /** Whether an application with a greater revision than the erasure's may stay (step 4 of `eraseCandidate`). */
  mayStay: boolean;
  /** DynamoDB's time at the end of the wait, plus `CLOCK_MARGIN_MS`. */
  waitedUntil: number;
  readonly staying: Set<string>;
}

/**
 * May stop at any point; another call then removes the rest.
 * 1. Record the erasure: from then on, live writes store no application with the same or a smaller revision.
 * 2. Search, and remove what is found.
 * 3. Wait. A write that looked for an erasure before step 1 may store an application until the wait is over, and the
 *    index may list it only later. So a revision up to the end of the wait does not prove that an application is newer
 *    than the erasure: it may also come from a clock that is ahead.
 * 4. Search and remove until `EMPTY_SEARCHES` searches in a row find nothing to remove. From the second of these
 *    searches on, an application stays if its revision is later than the end of the wait.
 * @throws Error if `idleSearches` searches in a row find applications but can remove none; the signal's reason.
 */
export async function eraseCandidate(options: EraseOptions): Promise<void> {
  const { table, candidate, limits, signal, pause = systemPause } = options;
  const progress: Progress = {
    revision: await recordErasure(table, candidate),
    mayStay: false,
    waitedUntil: Number.POSITIVE_INFINITY,
    staying: new Set(),
  };
  await options.onRecorded(progress.revision);
  await removeFound(options, progress);
  await pause(limits.lateWriteMs, signal);
  const key = erasureKey(candidate.tenant, candidate.id);
  progress.waitedUntil = (await databaseTime(table, key)) + CLOCK_MARGIN_MS;
  await removeUntilNoneIsFound(options, progress);
}

export interface StoredErasure {
  candidate: Candidate;
  revision: number;
}

/**
 * Steps 3 and 4 of `eraseCandidate`, for imported erasures. Here an application with a greater revision than the
 * erasure's may stay from the first search on: it may be from the time between the erasure and the import.
 */
export async function removeErased(
  erasures: readonly StoredErasure[],
  options: Omit<EraseOptions, 'candidate' | 'search' | 'onRecorded'>,
): Promise<void> {
  const { limits, signal, pause = systemPause } = options;
  await pause(limits.lateWriteMs, signal);
  const others = { search: 'index', onRecorded: async () => undefined } as const;
  const limit = new ConcurrencyLimit(signal);
  try {
    for (const { candidate, revision } of erasures) {
      const progress = { revision, mayStay: true, waitedUntil: 0, staying: new Set<string>() };
      const erase = { ...options, ...others, candidate };
      await limit.begin(() => removeUntilNoneIsFound(erase, progress));
    }
  } finally {
    await limit.settle();
  }
}

async function removeUntilNoneIsFound(options: EraseOptions, progress: Progress): Promise<void> {
  const { search, limits, signal, pause = systemPause } = options;
  let empty = 0;
  let idle = 0;
  for (;;) {
    const before = progress.revision;
    const { found, removed } = await removeFound(options, progress);
    progress.mayStay = true;
    empty = found === 0 ? empty + 1 : 0;
    if (empty === EMPTY_SEARCHES[search]) return;
    idle = removed === 0 && found > 0 ? idle + 1 : 0;
    if (idle === limits.idleSearches) {
      throw new Error(`${pluralize(found, 'application')} can be found but not erased.`);
    }
    // A write that saw the erasure's previous, smaller revision may still be under way.
    await pause(progress.revision > before ? limits.lateWriteMs : limits.pauseMs, signal);
  }
}

async function removeFound(options: EraseOptions, progress: Progress) {
  const { table, candidate, search, beforeRemoval, onRemoved, signal } = options;
  let staying = 0;
  let removed = 0;
  const removeOne = async ({ pk, sk }: Key) => {
    const key = { pk, sk };
    const item = await readApplicationItem(table, key);
    if (item === undefined) return;
    if (await isStaying(item, options, progress)) {
      staying += 1;
      return;
    }
    await beforeRemoval(key, filesOf(item));
    if (!(await removeUnchanged(table, item))) return;
    removed += 1;
    await onRemoved(key);
  };
  signal?.throwIfAborted();
  const keys = await findApplications(table, candidate, search, signal);
  const limit = new ConcurrencyLimit(signal);
  try {
    for (const key of keys) await limit.begin(() => removeOne(key));
  } finally {
    await limit.settle();
  }
  return { found: keys.length - staying, removed };
}

async function isStaying(item: Item, options: EraseOptions, progress: Progress): Promise<boolean> {
  // A tombstone stays: its only personal data are ids, and until it expires, it blocks older writes.
  if (isTombstone(item) && typeof item[keyAttributes.timeToLive] === 'number') return true;
  const reason = await reasonToStay(item, options, progress);
  if (reason === undefined) return false;
  const key = { pk: item.pk, sk: item.sk };
  const name = quoted(key);
  if (!progress.staying.has(name)) {
    progress.staying.add(name);
    await options.onStay(key, reason);
  }
  return true;
}

/**
 * Once the wait is over, every write that missed the erasure has ended. A revision above `waitedUntil` then proves that
 * the application is newer than the erasure, unless the revision is ahead of DynamoDB's time.
 * @returns undefined if the item is to be removed.
 */
async function reasonToStay(
  item: Item,
  options: EraseOptions,
  progress: Progress,
): Promise<SkipReason | undefined> {
  const { table, candidate } = options;
  if (!isOwn(candidate, item)) return 'foreign';
  const revision = revisionOf(item) ?? 0;
  if (revision <= progress.revision) return undefined;
  const isLater = progress.mayStay && revision > progress.waitedUntil;
  if (isLater && !(await isAhead(table, item, revision))) return 'later';
  // The item is removed although its revision is greater than the erasure's. Raise the erasure's revision too, or a
  // retry of the write would store the application again.
  await raise(options, progress, revision);
  return undefined;
}

async function raise(
  { table, candidate, onRecorded }: EraseOptions,
  progress: Progress,
  least: number,
): Promise<void> {
  const recorded = await recordErasure(table, candidate, least);
  if (recorded <= progress.revision) return;
  progress.revision = recorded;
  await onRecorded(recorded);
}

const isAhead = async (table: Table, { pk, sk }: Key, revision: number) =>
  revision > (await databaseTime(table, { pk, sk })) + CLOCK_MARGIN_MS;
