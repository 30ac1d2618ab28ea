import { setTimeout as sleep } from 'node:timers/promises';
import { jobOf } from '../../../functions/store/keys.ts';
import type { Erasure, Outcome } from './erasure.ts';
import { type Candidate, findApplications, type Search, type Table } from './find-applications.ts';

/** The looks in a row that must find nothing: the index may not have the newest applications yet. */
const QUIET_LOOKS = { index: 2, scan: 1 } as const;

/** How long to go on looking. */
export interface Patience {
  /** Milliseconds between two looks. */
  pauseMs: number;
  /** The most looks in a row that find something, and erase nothing of it. */
  idleLooks: number;
}

const PATIENCE: Patience = { pauseMs: 1000, idleLooks: 60 };

/** Whom to erase, where and how. */
export interface EraseOptions {
  table: Table;
  candidate: Candidate;
  search: Search;
  erasure: Erasure;
  /** Called for each application that has been erased. */
  onErased: (job: string, outcome: Outcome) => void;
  patience?: Patience;
  /** Stops it when it is aborted, after the application that is being erased. */
  signal?: AbortSignal;
}

/** How many applications have been removed, and anonymised. */
export interface Erased {
  removed: number;
  anonymised: number;
}

/** Applications are still found that cannot be erased. */
export class StillFound extends Error {
  override readonly name = 'StillFound';
}

/**
 * Erases all applications of a candidate, and looks again until there are none: an index is eventually
 * consistent, and another may write at the same time. It may stop anywhere and be done again.
 * @throws StillFound where applications are found again and again and none is erased, and the reason of
 *   the signal where that is aborted.
 */
export async function eraseCandidate(options: EraseOptions): Promise<Erased> {
  const { search, patience = PATIENCE } = options;
  const total: Erased = { removed: 0, anonymised: 0 };
  let idle = 0;
  for (let quiet = 0; ; ) {
    const { found, erased } = await look(options, total);
    quiet = found === 0 ? quiet + 1 : 0;
    if (quiet === QUIET_LOOKS[search]) return total;
    idle = erased === 0 && found > 0 ? idle + 1 : 0;
    if (idle === patience.idleLooks) throw new StillFound(`${found} applications are still found.`);
    await sleep(patience.pauseMs);
  }
}

/** Erases what is found now; counts it, and adds it to `total`. */
async function look(options: EraseOptions, total: Erased) {
  const { table, candidate, search, erasure, onErased, signal } = options;
  const counts = { found: 0, erased: 0 };
  signal?.throwIfAborted();
  for await (const key of findApplications(table, candidate, search)) {
    signal?.throwIfAborted();
    counts.found += 1;
    const outcome = await erasure(table, candidate, key);
    if (outcome !== 'removed' && outcome !== 'anonymised') continue;
    counts.erased += 1;
    total[outcome] += 1;
    onErased(jobOf(key), outcome);
  }
  return counts;
}
