import type { OperationName } from '../../functions/contract/operations.ts';

/** What each measurement of an operation may come to at most. */
export interface Targets {
  /** Processor time of a cold start to its first answer, as a share of another handler's. */
  coldAgainstSdk: number;
  coldAgainstFloor: number;
  /** Processor time of the first call after init, as a share of another handler's. */
  firstCallAgainstSdk: number;
  /** Processor time of a warm call, as a share of another handler's. */
  warmAgainstSdk: number;
  /** Processor time that the middlewares add to a warm call, in microseconds. */
  middlewareMicros: number;
  /** Memory after 20,000 calls, as a share of another handler's. */
  memoryAgainstSdk: number;
  /**
   * The heap after 20,000 calls, as a share of the heap after 10,000. The compiler goes on with what
   * is called seldom, so 1 would be missed by chance; a leak of 70 bytes a call would be over it.
   */
  heapGrowth: number;
  /** Of the bundle, in KB of 1000 bytes. */
  minifiedKilobytes: number;
  zippedKilobytes: number;
}

const shared = {
  warmAgainstSdk: 0.85,
  middlewareMicros: 25,
  memoryAgainstSdk: 0.7,
  heapGrowth: 1.05,
  minifiedKilobytes: 200,
  zippedKilobytes: 65,
};

/** By operation: the status function loads more, the parser of bodies among it. */
export const targets: Readonly<Record<OperationName, Targets>> = {
  'get-application': {
    ...shared,
    coldAgainstSdk: 0.55,
    coldAgainstFloor: 1.1,
    firstCallAgainstSdk: 0.15,
  },
  'update-job-status': {
    ...shared,
    coldAgainstSdk: 0.6,
    coldAgainstFloor: 1.2,
    firstCallAgainstSdk: 0.2,
  },
};

/** Requests to DynamoDB, and the units that they consume, for one request of a client. */
export const databaseTargets = { requests: 1, readUnits: 1, writeUnits: 1 };
