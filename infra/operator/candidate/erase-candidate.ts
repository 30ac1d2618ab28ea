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
 * The number of consecutive searches that must find nothing before an erasure ends. The index needs two searches,
 * because it may lack the newest applications for a moment.
 */
const EMPTY_SEARCHES = { index: 2, scan: 1 } as const;

export interface SearchLimits {
  /** The pause between two searches, in milliseconds. */
  pauseMs: number;
  /** The maximum number of consecutive searches that find applications but remove none. */
  idleSearches: number;
  /** The maximum time, in milliseconds, for which a live write that began before the erasure can be under way. */
  lateWriteMs: number;
}

/** The maximum time, in milliseconds, that the last attempt of a write takes to reach DynamoDB. */
const LAST_ATTEMPT_MS = 5000;

export const searchLimits: SearchLimits = {
  pauseMs: 1000,
  idleSearches: 60,
  lateWriteMs: WRITE_LIMIT_MS + LAST_ATTEMPT_MS,
};

/** The reason why an item stays: it belongs to somebody else, or it was written after the erasure. */
export type SkipReason = 'foreign' | 'later';

export interface EraseOptions {
  table: Table;
  candidate: Candidate;
  search: Search;
  /** Called with the revision of the erasure when the erasure is recorded, and again if the revision is raised. */
  onRecorded: (revision: number) => Promise<void>;
  /** Called with an item's files in S3 before the item is removed. If the call fails, the item is not removed. */
  beforeRemoval: (key: Key, files: readonly string[]) => Promise<void>;
  /** Called for each removed item. */
  onRemoved: (key: Key) => Promise<void>;
  /** Called once for each item that stays. */
  onStay: (key: Key, reason: SkipReason) => Promise<void>;
  limits: SearchLimits;
  /** Waits for a time, in milliseconds. By default, the wait takes real time. */
  pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  /** Stops the erasure after the removals under way. */
  signal?: AbortSignal | undefined;
}

const systemPause = (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal });

/** The state of an erasure under way. */
interface Progress {
  /** The revision of the erasure. */
  revision: number;
  /** Whether an application stays whose revision is greater, and greater than `waitedUntil`. */
  mayStay: boolean;
  /** DynamoDB's time at the end of the wait, with the margin for clocks. */
  waitedUntil: number;
  /** The keys, as JSON, of the items that stay and were reported. */
  readonly staying: Set<string>;
}

/**
 * Erases all applications of a candidate in four steps:
 * 1. Record the erasure, so that live writes store no application with the same or a smaller revision again.
 * 2. Search, and remove the applications that are found.
 * 3. Wait. A write that looked for an erasure before step 1 may store an application until the wait is over. The index
 *    may list it only later, and a revision up to the end of the wait does not show whether the application or the clock
 *    was ahead, so it does not stay either.
 * 4. Search and remove again until `EMPTY_SEARCHES` searches in a row find nothing to remove. These searches find
 *    applications that late writes have stored, or that the eventually consistent index did not list before. After the
 *    first of them, an application stays that was made after the erasure.
 *
 * An erasure may stop at any point. Another call then removes the rest.
 * @throws Error if consecutive searches find applications but can remove none. Also throws the signal's reason.
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

/** An erasure that an import has stored. */
export interface StoredErasure {
  candidate: Candidate;
  revision: number;
}

/**
 * Removes the applications that erasures end, as `eraseCandidate` does after it has recorded one. The recorded revisions
 * stay, because what was made between an erasure and its import must stay too.
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
    // A write that saw the smaller revision may be under way.
    await pause(progress.revision > before ? limits.lateWriteMs : limits.pauseMs, signal);
  }
}

/**
 * Searches once, and removes the applications that the search finds.
 * @returns `removed`, the number of removed items, and `found`, the number of found items, which does not count items
 *   that stay.
 */
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

/** Returns whether an item stays. Reports each item that stays once, except tombstones. */
async function isStaying(item: Item, options: EraseOptions, progress: Progress): Promise<boolean> {
  // A tombstone with an expiry stays. It has no personal data besides its ids, and prevents older writes from storing
  // the application again.
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
 * Returns why an item stays; undefined if it must be removed. Writes that did not see the erasure end before the search
 * after the wait. Until then, a greater revision only shows that a clock is ahead, and later only if it is not ahead of
 * DynamoDB's time does it show that the application was made after the erasure.
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
  // The revision of this application comes from a clock that is ahead. Raise the revision of the erasure, so that a
  // retry of the same write cannot store the application again.
  await raise(options, progress, revision);
  return undefined;
}

/** Records the erasure again, with at least this revision. */
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
