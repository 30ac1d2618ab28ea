import { operationNames } from '../../functions/contract/operations.ts';
import type { Assumptions } from './assumptions.ts';
import { durationsOf, FULL_PROCESSOR_MB } from './durations.ts';
import type { FunctionMeasurements, Measurements } from './measurements.ts';

/** The sizes to choose from, in MB: each about double the one before, and the whole processor's. */
export const memorySizesMb: readonly number[] = [128, 256, 512, 1024, FULL_PROCESSOR_MB, 3008];

/** How much of its memory a function may have held at most: the rest is for what no test has sent. */
const MOST_MEMORY_HELD = 0.5;

/** How much longer than with a whole processor a cold start may take. More memory would gain less. */
const MOST_OVER_FULL_PROCESSOR = 0.15;

/** How the rule sees a size, by the function that fares worst. */
export interface SizeCheck {
  memoryMb: number;
  /** The share of the memory that was held, from 0. */
  memoryHeld: number;
  /** The share by which a cold start is longer than with a whole processor, from 0. */
  overFullProcessor: number;
  fits: boolean;
}

/** Checks a memory size for both functions. */
export function checkSize(
  memoryMb: number,
  { functions }: Measurements,
  assumptions: Assumptions,
): SizeCheck {
  const worst = (of: (measured: FunctionMeasurements) => number) =>
    Math.max(...operationNames.map((name) => of(functions[name])));
  const memoryHeld = worst(({ peakMemoryMb }) => peakMemoryMb / memoryMb);
  const overFullProcessor = worst((measured) => {
    const coldStart = (size: number) => durationsOf(measured, size, assumptions).coldStartMs;
    return coldStart(memoryMb) / coldStart(FULL_PROCESSOR_MB) - 1;
  });
  const fits = memoryHeld <= MOST_MEMORY_HELD && overFullProcessor <= MOST_OVER_FULL_PROCESSOR;
  return { memoryMb, memoryHeld, overFullProcessor, fits };
}

/**
 * The smallest size that leaves half of the memory free and whose cold start is at most 15 % longer
 * than with a whole processor.
 * @throws Error where no size does.
 */
export function chooseMemorySize(measurements: Measurements, assumptions: Assumptions): number {
  const size = memorySizesMb.find(
    (memoryMb) => checkSize(memoryMb, measurements, assumptions).fits,
  );
  if (size === undefined) {
    throw new Error('No memory size fits the measurements: see infra/cost/memory-rule.ts.');
  }
  return size;
}
