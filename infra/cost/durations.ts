import type { Assumptions } from './assumptions.ts';
import type { FunctionMeasurements } from './measurements.ts';

/**
 * The memory size, in MB, at which a function has one whole processor. One thread gains nothing from more
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
 */
export const FULL_PROCESSOR_MB = 1769;

/** The sizes, in MB, that a function can be given (same page). */
export const MEMORY_LIMITS_MB = { least: 128, most: 10_240 };

type Waits = Pick<Assumptions, 'databaseMs' | 'keysMs' | 'cpuFactor'>;

/** How long a function takes, in milliseconds. */
export interface Durations {
  warmCallMs: number;
  initMs: number;
  firstCallMs: number;
  /** Init and first call: what the first caller waits for. */
  coldStartMs: number;
}

/** The share of one processor that a single thread gets at a memory size: above 0, at most 1. */
export const processorShare = (memoryMb: number): number =>
  Math.min(memoryMb / FULL_PROCESSOR_MB, 1);

/**
 * How long a function takes at a memory size. A call gets the processor's share of that size, and
 * waits for one answer of DynamoDB. Init gets a whole processor at any size, and waits for keys.
 */
export function durationsOf(
  measured: FunctionMeasurements,
  memoryMb: number,
  { databaseMs, keysMs, cpuFactor }: Waits,
): Durations {
  const callMs = (cpuMs: number) => (cpuMs * cpuFactor) / processorShare(memoryMb) + databaseMs;
  const initMs = (measured.runtimeCpuMs + measured.initCpuMs) * cpuFactor + keysMs;
  const firstCallMs = callMs(measured.firstCallCpuMs);
  return {
    warmCallMs: callMs(measured.warmCallCpuMs),
    initMs,
    firstCallMs,
    coldStartMs: initMs + firstCallMs,
  };
}

/**
 * What Lambda bills for a request on average, in milliseconds: each is rounded up to a whole one, and
 * init is billed with the first call (https://aws.amazon.com/lambda/pricing/).
 * @param coldShare the share of requests that start an environment.
 */
export function billedMs({ warmCallMs, coldStartMs }: Durations, coldShare: number): number {
  return (1 - coldShare) * wholeMs(warmCallMs) + coldShare * wholeMs(coldStartMs);
}

/** Rounded up; but what binary fractions add to a whole number is no millisecond. */
const wholeMs = (ms: number) => Math.ceil(Number(ms.toFixed(9)));

/** GB-seconds of so many milliseconds: Lambda's GB has 1024 MB. */
export const gbSeconds = (ms: number, memoryMb: number): number => (ms / 1000) * (memoryMb / 1024);
