import { setTimeout as sleep } from 'node:timers/promises';
import { jobOf } from '../../../functions/store/keys.ts';
import { pluralize } from '../cli/output.ts';
import type { Table } from '../cli/table.ts';
import { Window } from '../cli/window.ts';
import type { Erasure, Outcome } from './erasure.ts';
import { filesOf } from './files.ts';
import {
  type Candidate,
  type Found,
  findApplications,
  readApplication,
  type Search,
} from './find-applications.ts';

/** Searches in a row that must find nothing: the index may not have the newest applications yet. */
const EMPTY_SEARCHES = { index: 2, scan: 1 } as const;

export interface SearchLimits {
  /** Milliseconds between two searches. */
  pauseMs: number;
  /** The most searches in a row that find something but erase nothing. */
  idleSearches: number;
}

export interface EraseOptions {
  table: Table;
  candidate: Candidate;
  search: Search;
  erasure: Erasure;
  /** Called with the files in S3 before an application is erased. It is not erased if this fails. */
  beforeErasure: (job: string, files: readonly string[]) => Promise<void>;
  /** Called for each application that was erased. */
  onErased: (job: string, outcome: Outcome) => Promise<void>;
  limits: SearchLimits;
  /** Stops the work, after the applications that are being erased. */
  signal?: AbortSignal | undefined;
}

/** How many applications were removed, and anonymised; how many of both the index did not have. */
export type Erased = Record<'removed' | 'anonymised' | 'unindexed', number>;

/**
 * Erases all applications of a candidate, and searches again until there are none: the index is
 * eventually consistent, and another writer may add some at the same time. It may stop anywhere and run
 * again.
 * @throws Error if applications are found again and again and none is erased; the reason of the signal if
 *   that is aborted.
 */
export async function eraseCandidate(options: EraseOptions): Promise<Erased> {
  const { search, limits, signal } = options;
  const total: Erased = { removed: 0, anonymised: 0, unindexed: 0 };
  let empty = 0;
  let idle = 0;
  for (;;) {
    const { found, erased } = await eraseFound(options, total);
    empty = found === 0 ? empty + 1 : 0;
    if (empty === EMPTY_SEARCHES[search]) return total;
    idle = erased === 0 && found > 0 ? idle + 1 : 0;
    if (idle === limits.idleSearches) {
      throw new Error(`${pluralize(found, 'application')} can be found but not erased.`);
    }
    await sleep(limits.pauseMs, undefined, { signal });
  }
}

/** Erases what one search finds; counts it, and adds it to `total`. */
async function eraseFound(options: EraseOptions, total: Erased) {
  const { table, candidate, search, erasure, beforeErasure, onErased, signal } = options;
  let erased = 0;
  const eraseOne = async ({ pk, sk, isIndexed }: Found) => {
    const key = { pk, sk };
    const item = await readApplication(table, key);
    if (item === undefined) return;
    await beforeErasure(jobOf(key), filesOf(item));
    const outcome = await erasure(table, candidate, item);
    if (outcome !== 'removed' && outcome !== 'anonymised') return;
    erased += 1;
    total[outcome] += 1;
    if (!isIndexed) total.unindexed += 1;
    await onErased(jobOf(key), outcome);
  };
  signal?.throwIfAborted();
  const keys = await findApplications(table, candidate, search, signal);
  const window = new Window(signal);
  try {
    for (const key of keys) await window.begin(() => eraseOne(key));
  } finally {
    await window.settle();
  }
  return { found: keys.length, erased };
}
