import { hash } from 'node:crypto';
import { revisionAttributes } from '../../functions/store/items.ts';
import { keyAttributes } from '../../functions/store/keys.ts';
import { keyOf, type LineRecord, type WriteBlock } from './write-block.ts';

const MAX_LINES = 2_000_000;

const COUNTED = [['jobs'], ['applications'], ['applications', 'expired'], ['tombstones']] as const;
type Counted = (typeof COUNTED)[number];

export function countedAs({ kind, item }: LineRecord): Counted {
  const [job, application, expired, tombstone] = COUNTED;
  if (kind !== 'application') return kind === 'job' ? job : tombstone;
  return Number(item[keyAttributes.timeToLive]) * 1000 <= Date.now() ? expired : application;
}

export class WrittenLines {
  readonly most: number;
  /** By the hash of a key. To save memory, each value packs the line's number and an index of `COUNTED`. */
  readonly #lines = new Map<number, number>();

  constructor(most = MAX_LINES) {
    this.most = most;
  }

  add(record: LineRecord): boolean {
    const key = hashOf(record);
    if (this.#lines.size >= this.most && !this.#lines.has(key)) return false;
    this.#lines.set(key, record.line * COUNTED.length + COUNTED.indexOf(countedAs(record)));
    return true;
  }

  find(record: LineRecord): { line: number; counted: readonly Counted[number][] } | undefined {
    const found = this.#lines.get(hashOf(record));
    if (found === undefined) return undefined;
    const counted = COUNTED[found % COUNTED.length] ?? [];
    return { line: Math.floor(found / COUNTED.length), counted };
  }
}

/** 52 bits: of 2,000 files with two million keys each, about one has two keys with the same hash. */
const hashOf = ({ item }: LineRecord) =>
  Number.parseInt(hash('sha1', keyOf(item), 'hex').slice(0, 13), 16);

/** Reports the outcomes that `blockWriter` would have on an empty table, except `erased` and `ahead`. */
export function dryWriter({ keepsNewer }: { keepsNewer: boolean }): WriteBlock {
  const ranks = new Map<number, number>();
  return async (records, onDone) => {
    for (const record of records) {
      const key = hashOf(record);
      const stored = ranks.get(key);
      const isOrdered = keepsNewer || record.kind === 'erasure';
      const isOlder = isOrdered && stored !== undefined && !(rankOf(record) >= stored);
      if (!isOlder && (stored !== undefined || ranks.size < MAX_LINES)) {
        ranks.set(key, rankOf(record));
      }
      onDone(record, isOlder ? 'older' : 'written');
    }
  };
}

/**
 * With `keepsNewer`: of two records with the same key, the one with the greater rank stays; if the ranks are equal, the
 * later one. The rank of a job is NaN, so the first job stays.
 */
function rankOf({ kind, item }: LineRecord): number {
  if (kind === 'job') return Number.NaN;
  const { [revisionAttributes.revision]: revision = 0 } = item;
  // A removal wins over an application with the same revision.
  return Number(revision) + (kind === 'removal' ? 0.5 : 0);
}
