import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '../../../functions/store/items.ts';
import { attributes, type Key } from '../../../functions/store/keys.ts';
import { isTombstone } from '../cli/items.ts';
import { pluralize, quoted } from '../cli/output.ts';
import type { Table } from '../cli/table.ts';
import { Window } from '../cli/window.ts';
import { filesOf } from './candidate-files.ts';
import {
  type Candidate,
  type Found,
  findApplications,
  isOwn,
  jobOf,
  readApplication,
  type Search,
} from './find-applications.ts';
import { recordErasure, revisionOf } from './record-erasure.ts';
import { removeUnchanged } from './remove-application.ts';

/** Searches in a row that must find nothing: the index may not have the newest applications yet. */
const EMPTY_SEARCHES = { index: 2, scan: 1 } as const;

export interface SearchLimits {
  /** Milliseconds between two searches. */
  pauseMs: number;
  /** The most searches in a row that find something but erase nothing. */
  idleSearches: number;
  /** Milliseconds after which no live write arrives that has not seen the record of the erasure. */
  lateWriteMs: number;
}

/** A clock that only goes forward, in milliseconds, and a wait by that clock. */
export interface WaitingTime {
  now: () => number;
  sleep: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

const systemTime: WaitingTime = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Why an item that a search found stays: it names somebody else, or it was written after the erasure. */
export type Left = 'foreign' | 'later';

export interface EraseOptions {
  table: Table;
  candidate: Candidate;
  search: Search;
  /** Called with the revision of the erasure when it has been recorded, before anything is erased, and when it is raised. */
  onRecorded: (revision: number) => Promise<void>;
  /** Called with the files in S3 before an item is erased. It is not erased if this fails. */
  beforeErasure: (key: Key, files: readonly string[]) => Promise<void>;
  /** Called for each item that was removed. */
  onRemoved: (key: Key) => Promise<void>;
  /** Called once for each item that stays. */
  onLeft: (key: Key, why: Left) => Promise<void>;
  limits: SearchLimits;
  /** What the waits go by; by default the time of the system. */
  time?: WaitingTime;
  /** Stops the work, after the applications that are being erased. */
  signal?: AbortSignal | undefined;
}

/**
 * The numbers of items that were removed and left alone. Of the removed items, `unindexed` were not in the index,
 * and `malformed` had a malformed key.
 */
export type Erased = Record<'removed' | 'unindexed' | 'malformed' | Left, number>;

/** The state of an erasure under way. */
interface Progress {
  /** The revision of the recorded erasure, and when it was recorded, by the clock of the waits. */
  revision: number;
  recordedAt: number;
  isFirstSearch: boolean;
  readonly total: Erased;
  /** The keys of the items that stay. */
  readonly left: Set<string>;
}

/**
 * Erases all applications of a candidate. It first records the erasure, so that live writes bring nothing
 * back that is older, and erases what it finds. When the last write that has not read the record must have
 * arrived, it searches again until there is nothing: the index is eventually consistent, and another writer
 * may add applications at the same time. It may stop anywhere and run again.
 * @throws Error if applications are found again and again and none is erased; the reason of the signal if
 *   that is aborted.
 */
export async function eraseCandidate(options: EraseOptions): Promise<Erased> {
  const { table, candidate, search, limits, signal, time = systemTime } = options;
  const progress: Progress = {
    revision: await recordErasure(table, candidate),
    recordedAt: time.now(),
    isFirstSearch: true,
    total: { removed: 0, unindexed: 0, malformed: 0, foreign: 0, later: 0 },
    left: new Set(),
  };
  await options.onRecorded(progress.revision);
  await eraseFound(options, progress);
  progress.isFirstSearch = false;
  const waitMs = progress.recordedAt + limits.lateWriteMs - time.now();
  await time.sleep(Math.max(0, waitMs), signal);
  let empty = 0;
  let idle = 0;
  for (;;) {
    const { found, erased } = await eraseFound(options, progress);
    empty = found === 0 ? empty + 1 : 0;
    if (empty === EMPTY_SEARCHES[search]) return progress.total;
    idle = erased === 0 && found > 0 ? idle + 1 : 0;
    if (idle === limits.idleSearches) {
      throw new Error(`${pluralize(found, 'application')} can be found but not erased.`);
    }
    await time.sleep(limits.pauseMs, signal);
  }
}

/** Erases what one search finds, and counts it; returns how much was found, without what stays. */
async function eraseFound(options: EraseOptions, progress: Progress) {
  const { table, candidate, search, beforeErasure, onRemoved, signal } = options;
  const { total } = progress;
  let staying = 0;
  let erased = 0;
  const eraseOne = async ({ pk, sk, isIndexed }: Found) => {
    const key = { pk, sk };
    const item = await readApplication(table, key);
    if (item === undefined) return;
    if (await isStaying(item, options, progress)) {
      staying += 1;
      return;
    }
    await beforeErasure(key, filesOf(item));
    if ((await removeUnchanged(table, item)) !== 'removed') return;
    erased += 1;
    total.removed += 1;
    if (!isIndexed) total.unindexed += 1;
    if (jobOf(candidate, key) === undefined) total.malformed += 1;
    await onRemoved(key);
  };
  signal?.throwIfAborted();
  const keys = await findApplications(table, candidate, search, signal);
  const window = new Window(signal);
  try {
    for (const key of keys) await window.begin(() => eraseOne(key));
  } finally {
    await window.settle();
  }
  return { found: keys.length - staying, erased };
}

/** Returns whether an item stays, and reports it once. A tombstone stays until it expires: it keeps older writes away. */
async function isStaying(item: Item, options: EraseOptions, progress: Progress): Promise<boolean> {
  if (isTombstone(item) && typeof item[attributes.timeToLive] === 'number') return true;
  const why = await reasonToStay(item, options, progress);
  if (why === undefined) return false;
  const key = { pk: item.pk, sk: item.sk };
  const name = quoted(key);
  if (!progress.left.has(name)) {
    progress.left.add(name);
    progress.total[why] += 1;
    await options.onLeft(key, why);
  }
  return true;
}

async function reasonToStay(
  item: Item,
  { table, candidate, onRecorded, time = systemTime }: EraseOptions,
  progress: Progress,
): Promise<Left | undefined> {
  if (!isOwn(candidate, item)) return 'foreign';
  const revision = revisionOf(item) ?? 0;
  if (revision <= progress.revision) return undefined;
  if (!progress.isFirstSearch) return 'later';
  // It was written before the erasure, by a clock that is ahead. A repeated write must not bring it back.
  const recorded = await recordErasure(table, candidate, revision);
  progress.recordedAt = time.now();
  if (recorded > progress.revision) {
    progress.revision = recorded;
    await onRecorded(recorded);
  }
  return undefined;
}
