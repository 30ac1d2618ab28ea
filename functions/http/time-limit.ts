import type { Middleware } from '../runtime/invocation.ts';

/** 500 ms, and another 200 ms for the response and its log line on a slow processor. */
const RESERVE_MS = 700;

/**
 * Puts a signal on the invocation that aborts in time to respond at least 500 ms before Lambda ends the
 * invocation, which API Gateway would report without a problem document. Whatever waits listens to it
 * and says itself what it has done: middy's own time-out cannot know, and leaves the middlewares out.
 *
 * Lambda's runtime computes the time that remains from the platform's deadline and this machine's clock,
 * which may be wrong by hours. At the start of an invocation nearly all of its time is left, so it is
 * believed only if it says between a half and all of it.
 * @param timeoutMs the function's time-out.
 */
export function limitTime(timeoutMs: number): Middleware<{ signal: AbortSignal }> {
  return {
    before: ({ event, context }) => {
      const told = context.getRemainingTimeInMillis();
      const leftMs = told >= timeoutMs / 2 && told <= timeoutMs ? told : timeoutMs;
      Object.assign(event, { signal: AbortSignal.timeout(Math.floor(leftMs - RESERVE_MS)) });
    },
  };
}
