import type { OperationName } from '../../functions/contract/operations.ts';
import type { Contender, Reference } from './contenders.ts';

type Limits = Readonly<Record<OperationName, number>>;

/** What is measured. */
export interface Metric {
  unit: string;
  meaning: string;
  /** The most that the ratio of ours to a reference may be, or for `ours` the measurement itself. */
  targets?: Readonly<Partial<Record<Contender, Limits>>>;
}

const each = (read: number, status = read): Limits => ({
  'get-application': read,
  'update-job-status': status,
});
/** Ours costs less. */
const ahead: Partial<Record<Reference, Limits>> = { hono: each(1), powertools: each(1) };

export const metrics = {
  cold: {
    unit: 'ms',
    meaning: 'cold start: processor time from loading the function to its first response',
    targets: { sdk: each(0.52), 'sdk-bundled': each(0.9), ...ahead },
  },
  firstCall: {
    unit: 'ms',
    meaning: 'first call: the part of the cold start that comes after init, with the first request',
    targets: { sdk: each(0.15, 0.17) },
  },
  warm: {
    unit: 'µs',
    meaning: 'warm call: processor time of a request to a function that has served 500',
    targets: { sdk: each(0.9, 0.95), ...ahead },
  },
  heap: {
    unit: 'MB',
    meaning: 'heap: in use after 20,000 calls and a garbage collection; three rounds at most',
    targets: { sdk: each(0.7) },
  },
  resident: {
    unit: 'MB',
    meaning: 'resident memory: what the process holds after the same 20,000 calls',
    targets: { sdk: each(0.9) },
  },
  heapGrowth: {
    unit: 'MB',
    meaning: 'heap growth: the heap after 20,000 calls against the heap after 10,000',
    targets: { ours: each(1.05) },
  },
  minified: {
    unit: 'KB',
    meaning: 'bundle: the code of one function as it is deployed, in 1,000 bytes',
  },
  zipped: {
    unit: 'KB',
    meaning: 'bundle, zipped: the same, compressed by gzip',
    targets: { ours: each(75) },
  },
  logged: {
    unit: 'bytes',
    meaning:
      "log: a warm request that succeeds, its function's line and its line in the access log",
    targets: { ours: each(900) },
  },
  growthWarm: {
    unit: 'µs',
    meaning: 'growth, warm call: by size of the item that is read, and by keys in the JWKS',
  },
  growthResident: {
    unit: 'MB',
    meaning: 'growth, resident memory: after the warm calls of the line above it',
  },
  growthCold: { unit: 'ms', meaning: 'growth, cold start: by keys in the JWKS' },
} as const satisfies Record<string, Metric>;
export type MetricName = keyof typeof metrics;
