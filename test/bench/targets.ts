import type { OperationName } from '../../functions/contract/operations.ts';

/** What each measurement may come to at most. */
interface Targets {
  /** Processor time of a cold start to its first answer, as a share of another handler's. */
  coldAgainstSdk: number;
  coldAgainstFloor: number;
  /** Processor time of the first call after init, as a share of another handler's. */
  firstCallAgainstSdk: number;
  /** Processor time of a warm call, as a share of another handler's. */
  warmAgainstSdk: number;
}

/** Per operation: the status function loads more, the parser of bodies among it. */
export const targets: Readonly<Record<OperationName, Targets>> = {
  'get-application': {
    coldAgainstSdk: 0.55,
    coldAgainstFloor: 1.1,
    firstCallAgainstSdk: 0.15,
    warmAgainstSdk: 0.85,
  },
  'update-job-status': {
    coldAgainstSdk: 0.6,
    coldAgainstFloor: 1.2,
    firstCallAgainstSdk: 0.2,
    warmAgainstSdk: 0.85,
  },
};
