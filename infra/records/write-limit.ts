import type { MiddlewareStack } from '@smithy/types';
import { type Clock, elapsed } from '../../functions/platform/clock.ts';

/**
 * The maximum time, in milliseconds, between the read of a candidate's erasure and the last attempt of the write that
 * follows. An erasure waits longer than this limit before it searches for applications, so it finds every such write.
 */
export const WRITE_LIMIT_MS = 5000;

/** The time limit for the attempts of a write. */
export interface WriteLimit {
  /** The signal that aborts the request. After the abort, the SDK sends no attempt that is waiting for a connection. */
  signal: AbortSignal;
  /** Whether it is too late to send another attempt. */
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

/** The error of a write that failed after its time limit. */
export class WriteTooLate extends Error {
  override readonly name = 'WriteTooLate';

  constructor(cause?: unknown) {
    super(TOO_LATE, { cause });
  }
}

/** Makes a write that fails after its limit throw `WriteTooLate`. */
export async function withinLimit<T>(limit: WriteLimit, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw limit.isOver() ? new WriteTooLate(error) : error;
  }
}

/** Makes a command send no attempt after the limit. Pass the limit's signal to `send` too, which ends a sent attempt. */
export function limitAttempts<Input extends object, Output extends object>(
  { middlewareStack }: { middlewareStack: MiddlewareStack<Input, Output> },
  limit: WriteLimit,
): void {
  // At this step, the middleware runs right before the SDK sends an attempt.
  middlewareStack.add(
    (next) => (args) => {
      if (limit.isOver()) throw new WriteTooLate();
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
}
