import { Problem } from '../domain/problem.ts';

/**
 * The options of `middy` that answer 500 ms before Lambda would end the invocation, which API
 * Gateway would report as a failure without a cause. The signal aborts what the handler waits for.
 */
export const timeLimit = {
  timeoutEarlyInMillis: 500,
  timeoutEarlyResponse: () => {
    throw new Problem('unavailable', 'The service ran out of time. Try again later.', {
      retryAfter: 1,
    });
  },
};
