import type { Throttle } from './stages.ts';

/** A function's time-out, in seconds; every fault is answered before it. */
export const TIMEOUT_S = 6;

/** More than a function's start takes, in seconds: the issuer's keys are waited for one second. */
export const START_S = 2;

/**
 * The environments that a function needs at once where every request starts a new one and takes as
 * long as it may: what the bucket holds, and what runs into it meanwhile (Little's law: requests under
 * way = rate x duration). With as many reserved, the throttle answers 429 before Lambda runs out of
 * them, which API Gateway would answer as 500.
 */
export const concurrencyOf = ({ requestsPerSecond, burst }: Throttle): number =>
  burst + Math.ceil(requestsPerSecond * (START_S + TIMEOUT_S));
