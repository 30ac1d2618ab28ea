import type { ClockReading } from './interface.ts';

/**
 * The maximum time, in milliseconds, between the read of a candidate's erasure and the last attempt of the write that
 * follows. An erasure waits longer than this limit before it searches for applications, so it finds every such write.
 */
export const WRITE_LIMIT_MS = 5000;

type Clock = () => ClockReading;

export const systemClock: Clock = () => ({ date: Date.now(), monotonic: performance.now() });

/** The time limit for the attempts of a write. */
export interface WriteLimit {
  /** The signal that aborts the request. After the abort, the SDK sends no attempt that is waiting for a connection. */
  signal: AbortSignal;
  /** Throws an error if it is too late to send another attempt. */
  check(): void;
  /** Returns the limit's own error if the limit has aborted the request, or otherwise the request's error. */
  causeOf(error: unknown): unknown;
}

const TOO_LATE = `The write took longer than ${WRITE_LIMIT_MS} ms. It may have been applied. Retry it.`;

/**
 * Starts the time limit of a write. The limit applies to both clocks, because the monotonic clock may stand still while
 * the process is frozen, and the wall clock may be set back.
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
