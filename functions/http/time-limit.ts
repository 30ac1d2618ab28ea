import { Problem, problemTypes } from '../contract/problem.ts';

/**
 * The options of `middy` that answer at least 500 ms before Lambda would end the invocation, which API
 * Gateway would report as a failure without a cause. The signal aborts what the handler waits for.
 */
export const timeLimit = {
  // The rest is for the answer and its log line, on a processor that may be slow.
  timeoutEarlyInMillis: 700,
  timeoutEarlyResponse: () => {
    throw new Problem('unavailable', {
      detail: problemTypes.unavailable.detail.timeLimit,
      retryAfter: 1,
    });
  },
};
