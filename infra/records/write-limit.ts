import type { MiddlewareStack } from '@smithy/types';
import { type Clock, elapsed } from '../../functions/platform/clock.ts';

/**
 * From the read of a candidate's erasure to the last attempt of the write that follows. Such a write does not see an
 * erasure that is stored meanwhile, so `eraseCandidate` waits longer than this before its last searches, and finds what
 * the write has stored.
 */
export const WRITE_LIMIT_MS = 5000;

export interface WriteLimit {
  /** Ends an attempt that was sent or waits for a connection. */
  signal: AbortSignal;
  /** Also compares the wall and monotonic clocks: the signal's timer may stand still while the process is frozen. */
  isOver(): boolean;
}

const TOO_LATE = `The write took longer than ${WRITE_LIMIT_MS} ms. It may have been applied. Retry it.`;

export function startWriteLimit(clock: Clock): WriteLimit {
  const start = clock();
  const signal = AbortSignal.timeout(WRITE_LIMIT_MS);
  return {
    signal,
    isOver() {
      return signal.aborted || elapsed(start, clock()) > WRITE_LIMIT_MS;
    },
  };
}

export class WriteTooLate extends Error {
  override readonly name = 'WriteTooLate';

  constructor(cause?: unknown) {
    super(TOO_LATE, { cause });
  }
}

/** @throws the error of `write`; WriteTooLate in its place once the limit is over. */
export async function withinLimit<T>(limit: WriteLimit, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw limit.isOver() ? new WriteTooLate(error) : error;
  }
}

/** Sends no attempt after the limit. To end an attempt under way, pass the limit's signal to `send` too. */
export function limitAttempts<Input extends object, Output extends object>(
  { middlewareStack }: { middlewareStack: MiddlewareStack<Input, Output> },
  limit: WriteLimit,
): void {
  // This step runs again for each attempt.
  middlewareStack.add(
    (next) => (args) => {
      if (limit.isOver()) throw new WriteTooLate();
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
}
