import type { Middleware } from '../runtime/invocation.ts';

/** 500 ms, and another 200 ms for the response and its log line on a slow processor. */
const RESERVED_MS = 700;

/**
 * Puts a signal on the invocation that aborts in time to respond at least 500 ms before Lambda ends the
 * invocation, which API Gateway would report without a problem document. Whatever waits listens to it
 * and says itself what it has done: middy's own time-out cannot know, and leaves the middlewares out.
 */
export function limitTime(): Middleware<{ signal: AbortSignal }> {
  return {
    before: ({ event, context }) => {
      const ms = Math.floor(context.getRemainingTimeInMillis()) - RESERVED_MS;
      // Without any time left, nothing is begun.
      Object.assign(event, { signal: ms > 0 ? AbortSignal.timeout(ms) : AbortSignal.abort() });
    },
  };
}
