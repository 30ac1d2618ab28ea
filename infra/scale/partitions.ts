import type { Pieces, Population } from './population.ts';
import { indexAbove } from './zipf.ts';

/** What a partition serves at most in a second, in read units (DynamoDB Developer Guide, 2026-11). */
export const PARTITION_READ_UNITS = 3000;
/** What a partition holds at most, in bytes (the same). */
const PARTITION_BYTES = 10_000_000_000;
/**
 * How many partitions a new on-demand table must have: it takes 12,000 read units a second (DynamoDB
 * Developer Guide, "Initial throughput and scaling properties", 2026-11).
 */
const FIRST_PARTITIONS = 12_000 / PARTITION_READ_UNITS;

/** How many partitions a table needs for its size, and for its reads if they were spread evenly. */
export function partitionsFor(bytes: number, readUnits: number): number {
  const bySize = Math.ceil(bytes / PARTITION_BYTES);
  return Math.max(FIRST_PARTITIONS, bySize, Math.ceil(readUnits / PARTITION_READ_UNITS));
}

/** The share of reads of the hottest of `count` partitions, each an equal part of the hash space. */
export function hottestOf({ places, jobShares }: Population, count: number): number {
  const shares = new Float64Array(count);
  for (const [job, share] of jobShares.entries()) {
    const partition = Math.floor((places[job] ?? 0) * count);
    shares[partition] = (shares[partition] ?? 0) + share;
  }
  return shares.reduce((hottest, share) => Math.max(hottest, share), 0);
}

/** A table after its hot partitions were split. */
export interface SplitTable {
  partitions: number;
  /** The share of reads of the hottest partition. */
  hottest: number;
}

/** Pieces that lie beside each other, by their indexes: the first, and the one after the last. */
interface Range {
  from: number;
  to: number;
}

/**
 * Splits `count` equal partitions until none has a share above `limit`, or only a single piece, which
 * cannot be split. DynamoDB too splits by the traffic that it sees (USENIX ATC 2022, "Amazon DynamoDB:
 * A Scalable, Predictably Performant, and Fully Managed NoSQL Database Service", "Splitting for
 * consumption").
 */
export function splitForHeat(pieces: Pieces, count: number, limit: number): SplitTable {
  const waiting = equalParts(pieces, count);
  const table = { partitions: 0, hottest: 0 };
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    const share = sumBefore(pieces, part.to) - sumBefore(pieces, part.from);
    if (share <= limit || part.to - part.from <= 1) {
      table.partitions += 1;
      table.hottest = Math.max(table.hottest, share);
    } else {
      const cut = middleOf(pieces, part);
      waiting.push({ from: part.from, to: cut }, { from: cut, to: part.to });
    }
  }
  return table;
}

const sumBefore = ({ sums }: Pieces, index: number) => (index === 0 ? 0 : (sums[index - 1] ?? 0));

function equalParts({ places }: Pieces, count: number): Range[] {
  const ends = Array.from({ length: count }, (_, part) =>
    part === count - 1 ? places.length : boundAt(places, (part + 1) / count),
  );
  return ends.map((to, part) => ({ from: part === 0 ? 0 : (ends[part - 1] ?? 0), to }));
}

/** Where a range is cut so that its reads are halved best, and neither part is empty. */
function middleOf(pieces: Pieces, { from, to }: Range): number {
  const half = (sumBefore(pieces, from) + sumBefore(pieces, to)) / 2;
  const middle = indexAbove(pieces.sums, half, from, to);
  // The piece in the middle goes to the side that is smaller without it.
  const isAfter = sumBefore(pieces, middle + 1) - half > half - sumBefore(pieces, middle);
  return Math.min(Math.max(isAfter ? middle : middle + 1, from + 1), to - 1);
}

/** The index of the first piece that lies at `place` or after it. */
function boundAt(places: Float64Array, place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) >= place) high = middle;
    else low = middle + 1;
  }
  return low;
}
