import {
  hottestOf,
  PARTITION_READ_UNITS,
  partitionsFor,
  type SplitTable,
  splitForHeat,
} from './partitions.ts';
import { layOut, type Population, type PopulationOptions, populate } from './population.ts';

/** What is simulated. */
export interface SimulationOptions extends PopulationOptions {
  /** The average size of an application's item. */
  itemBytes: number;
  /** The load that is told of; those from a hundredth to a hundredfold are simulated. */
  readsPerSecond: number;
}

/** The hottest partition of a table under one load. All but the loads are in read units a second. */
export interface LoadResult {
  readsPerSecond: number;
  /** How many partitions the table needs if its reads were spread evenly. */
  partitions: number;
  /** What each of them had to serve then. */
  even: number;
  /** What the hottest of them has to serve, before DynamoDB splits it. */
  hottest: number;
  /** The table after DynamoDB has split what was too hot. */
  split: SplitTable;
  /** What the most read application asks for. */
  item: number;
}

/** What a simulation has found. */
export interface Simulation {
  options: SimulationOptions;
  bytes: number;
  unitsPerRead: number;
  /** Shares of the reads. */
  hottestItem: number;
  hottestJob: number;
  /** Applications of the job that has the most. */
  largestJob: number;
  loads: LoadResult[];
  /** The loads, in reads a second, at which the hottest partition is full: as it is, and split for heat. */
  fullBeforeSplit: number;
  fullAfterSplit: number;
}

/** How many loads are simulated in each decade, and over how many decades to each side. */
const PER_DECADE = 8;
const DECADES = 2;
/** An eventually consistent read takes half a unit for each 4 KB begun (DynamoDB Developer Guide, 2026-11). */
const readUnits = (bytes: number) => 0.5 * Math.ceil(bytes / 4096);

/**
 * Simulates the hottest partition of the table under loads from a hundredth to a hundredfold of
 * `readsPerSecond`. The reads are expected values: chance adds about their square root.
 */
export function simulate(options: SimulationOptions): Simulation {
  const unitsPerRead = readUnits(options.itemBytes);
  const bytes = options.applications * options.itemBytes;
  const population = populate(options);
  const hottestItem = population.shares[0] ?? 1;
  const fullAt = (share: number) => PARTITION_READ_UNITS / unitsPerRead / share;
  return {
    options,
    bytes,
    unitsPerRead,
    hottestItem,
    hottestJob: greatest(population.jobShares),
    largestJob: greatest(population.sizes),
    loads: resultsOf(population, bytes, readsAround(options.readsPerSecond), unitsPerRead),
    // Until the hottest partition is full, size alone says how many there are.
    fullBeforeSplit: fullAt(hottestOf(population, partitionsFor(bytes, 0))),
    fullAfterSplit: fullAt(hottestItem),
  };
}

function readsAround(readsPerSecond: number): number[] {
  const steps = Array.from({ length: 2 * DECADES * PER_DECADE + 1 }, (_, step) => step);
  return steps.map((step) => readsPerSecond * 10 ** (step / PER_DECADE - DECADES));
}

function resultsOf(
  population: Population,
  bytes: number,
  reads: readonly number[],
  unitsPerRead: number,
): LoadResult[] {
  const limitAt = (load: number) => PARTITION_READ_UNITS / (load * unitsPerRead);
  const pieces = layOut(population, limitAt(Math.max(...reads)));
  return reads.map((load) => {
    const units = load * unitsPerRead;
    const partitions = partitionsFor(bytes, units);
    const split = splitForHeat(pieces, partitions, limitAt(load));
    return {
      readsPerSecond: load,
      partitions,
      even: units / partitions,
      hottest: units * hottestOf(population, partitions),
      split: { ...split, hottest: units * split.hottest },
      item: units * (population.shares[0] ?? 1),
    };
  });
}

const greatest = (values: Float64Array | Uint32Array) => {
  let found = 0;
  for (const value of values) found = Math.max(found, value);
  return found;
};
