import type { Moment } from './interface.ts';

/**
 * The longest time, in milliseconds, from the start of the read of a candidate's erasure to the last attempt
 * of the write that follows. An erasure that waits longer before it searches finds every such write.
 */
export const WRITE_LIMIT_MS = 5000;

export type Clock = () => Moment;

export const systemClock: Clock = () => ({ date: Date.now(), monotonic: performance.now() });

/** What limits the attempts of a write. */
export interface WriteLimit {
  /** Gives up a request under way. An attempt that still waits for its connection is then never sent. */
  signal: AbortSignal;
  /** @throws Error if too much time has passed to send another attempt. */
  check(): void;
  /** Returns the error of a request, or the limit's own if the limit has ended the request. */
  causeOf(error: unknown): unknown;
}

const TOO_LATE = `The write took longer than ${WRITE_LIMIT_MS} ms. It may have been applied; repeat it.`;

/**
 * Starts the time limit of a write. Either clock ends it: the monotonic clock may stand still while the process
 * is frozen, and the wall clock may be set back.
 */
export function startWriteLimit(clock: Clock): WriteLimit {
  const start = clock();
  const signal = AbortSignal.timeout(WRITE_LIMIT_MS);
  return {
    signal,
    causeOf: (error) => (signal.aborted ? new Error(TOO_LATE, { cause: error }) : error),
    check() {
      const now = clock();
      const elapsed = Math.max(now.monotonic - start.monotonic, Math.abs(now.date - start.date));
      if (elapsed > WRITE_LIMIT_MS) throw new Error(TOO_LATE);
    },
  };
}
