import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '../../../functions/store/items.ts';
import { type Key, keyAttributes } from '../../../functions/store/keys.ts';
import { pluralize, quoted } from '../../command/output.ts';
import { databaseTime } from '../records/database-time.ts';
import { inParallel } from '../records/in-parallel.ts';
import { readItem, type Table } from '../records/table.ts';
import { isTombstone } from '../table/item-name.ts';
import { filesOf } from './candidate-files.ts';
import { type Candidate, findApplications, isOwn, type Search } from './find-applications.ts';
import { removeUnchanged } from './remove-application.ts';
import { greatestWritable, revisionOf, type StoredErasure, startErasure } from './start-erasure.ts';

export interface SearchLimits {
  /**
   * How long to wait between recording an erasure and the next search. The index may lag, and so may a write that had
   * just checked for an erasure. AWS documents no limit for either.
   */
  settleMs: number;
  pauseMs: number;
  /** Gives up after this many searches in a row that find applications but do not remove any. */
  idleSearches: number;
}

export const searchLimits: SearchLimits = { settleMs: 10_000, pauseMs: 1000, idleSearches: 60 };

const skipReasons = {
  foreign: 'which was found for the candidate, but names somebody else',
  newer: 'which is newer than the erasure',
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
  /** Called once per item, however many searches find it. */
  onSkipped: (key: Key, reason: SkipReason) => Promise<void>;
  limits: SearchLimits;
  pause?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  signal?: AbortSignal | undefined;
}

const systemPause = (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal });

/**
 * Records an erasure as of now, then removes the candidate's applications. Every write checks the erasure in its
 * transaction, so whatever it forbids was stored earlier, and a search a moment later finds it.
 *
 * Keeps an application only if it was made after the erasure: its revision is greater than the erasure's, and not ahead
 * of DynamoDB's time. If one is ahead, first raises the erasure to its revision, so that a retry of its write does not
 * store it again. Never raises it to a revision that no live write could have, or above that of an application that
 * stays.
 *
 * May stop at any point; `completeErasures` then removes the rest.
 * @param options `onRecorded` is called again if the erasure is raised.
 * @throws Error if `idleSearches` searches in a row find applications but cannot remove any; the signal's reason.
 */
export async function eraseCandidate({
  candidate,
  onRecorded,
  ...options
}: RemoveOptions & {
  candidate: Candidate;
  onRecorded: (revision: number) => Promise<void>;
}): Promise<void> {
  const { table, limits, signal, pause = systemPause } = options;
  const erasure = { candidate, revision: 0 };
  const record = async (atRevision?: number) => {
    erasure.revision = await startErasure(table, candidate, atRevision);
    await onRecorded(erasure.revision);
    await pause(limits.settleMs, signal);
  };
  await record();
  await removeAll(erasure, options, record);
}

/**
 * Removes applications that are not newer than the erasures recorded by an import or an earlier `eraseCandidate`.
 * Ignores the present time: the candidates may have applied again since then.
 * @throws as `eraseCandidate`.
 */
export async function completeErasures(
  erasures: readonly StoredErasure[],
  options: RemoveOptions,
): Promise<void> {
  if (erasures.length === 0) return;
  const { limits, signal, pause = systemPause } = options;
  await pause(limits.settleMs, signal);
  await inParallel(erasures, (erasure) => removeAll(erasure, options), signal);
}

/** Stops after this many searches of the index in a row that find nothing to remove. */
const EMPTY_SEARCHES = 2;

async function removeAll(
  erasure: Readonly<StoredErasure>,
  options: RemoveOptions,
  raise?: (atRevision: number) => Promise<void>,
): Promise<void> {
  const { table, search, onSkipped, limits, signal, pause = systemPause } = options;
  const skippedKeys = new Set<string>();
  let isNewerLeft = false;
  for (let empty = 0, idle = 0; ; ) {
    signal?.throwIfAborted();
    const { items, gone } = await readFound(erasure.candidate, options, skippedKeys);
    const now = raise ? await databaseTime(table) : Number.POSITIVE_INFINITY;
    const forbidden: Item[] = [];
    for (const item of items) {
      const reason = skipReasonOf(item, erasure, now);
      if (reason === undefined) {
        forbidden.push(item);
      } else {
        const { pk, sk } = item;
        skippedKeys.add(quoted({ pk, sk }));
        isNewerLeft ||= reason === 'newer';
        await onSkipped({ pk, sk }, reason);
      }
    }
    const revisions = forbidden.map((item) => revisionOf(item) ?? 0);
    const greatest = Math.max(...revisions.filter((each) => each <= greatestWritable(now)));
    // Never raise it above an application that stays: the next round would remove that application.
    const isRaised = greatest > erasure.revision && !isNewerLeft;
    if (isRaised) await raise?.(greatest);
    const removed = isRaised ? 0 : await removeEach(forbidden, options);
    if (search === 'scan' && removed === forbidden.length) return;
    const found = forbidden.length + gone;
    empty = found === 0 ? empty + 1 : 0;
    if (search === 'index' && empty >= EMPTY_SEARCHES) return;
    idle = removed === 0 && found > 0 ? idle + 1 : 0;
    if (idle === limits.idleSearches) {
      throw new Error(
        `${pluralize(found, 'application')} cannot be erased: either the index is late, or the data keep changing. Run the command again.`,
      );
    }
    await pause(limits.pauseMs, signal);
  }
}

/** Leaves out `skippedKeys` and tombstones. `gone` counts what only the index still lists. */
async function readFound(
  candidate: Candidate,
  { table, search, signal }: RemoveOptions,
  skippedKeys: ReadonlySet<string>,
) {
  const items: Item[] = [];
  let gone = 0;
  const read = async ({ pk, sk }: Key) => {
    if (skippedKeys.has(quoted({ pk, sk }))) return;
    const item = await readItem(table, { pk, sk });
    if (item === undefined) gone += 1;
    // Keep tombstones: their only personal data are ids, and they block older writes until they expire.
    else if (!isTombstone(item) || typeof item[keyAttributes.timeToLive] !== 'number') {
      items.push(item);
    }
  };
  await inParallel(await findApplications(table, candidate, search, signal), read, signal);
  return { items, gone };
}

/** @returns how many it removed. Items changed since they were read stay for the next search. */
async function removeEach(
  items: readonly Item[],
  { table, beforeRemoval, onRemoved, signal }: RemoveOptions,
): Promise<number> {
  let removed = 0;
  const removeOne = async (item: Item) => {
    const { pk, sk } = item;
    await beforeRemoval({ pk, sk }, filesOf(item));
    if (!(await removeUnchanged(table, item))) return;
    removed += 1;
    await onRemoved({ pk, sk });
  };
  await inParallel(items, removeOne, signal);
  return removed;
}

/**
 * @param now DynamoDB's time. A revision ahead of it does not prove that the application was made after the erasure.
 */
function skipReasonOf(
  item: Item,
  { candidate, revision: erased }: StoredErasure,
  now: number,
): SkipReason | undefined {
  if (!isOwn(candidate, item)) return 'foreign';
  const revision = revisionOf(item) ?? 0;
  return revision > erased && revision < now ? 'newer' : undefined;
}
