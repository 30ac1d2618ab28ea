import { Problem, problemTypes } from '../contract/problem.ts';

/**
 * The options of `middy` that respond at least 500 ms before Lambda ends the invocation, which API
 * Gateway would report without a problem document. The signal aborts what the handler waits for.
 */
export const timeLimit = {
  // The other 200 ms are for the response and its log line on a slow processor.
  timeoutEarlyInMillis: 700,
  timeoutEarlyResponse: () => {
    throw new Problem('unavailable', {
      detail: problemTypes.unavailable.detail.timeLimit,
      retryAfter: 1,
    });
  },
};
