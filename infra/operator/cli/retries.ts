import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { clearOf } from './output.ts';
import type { Output } from './run-command.ts';

/** Half of the longest wait before the first retry, in milliseconds. The longest wait doubles with each retry. */
const BASE_MS = 100;
/** The longest wait before any retry, in milliseconds. */
const CAP_MS = 5000;
/** The shortest time between two messages about failing requests, in milliseconds. */
const REPORT_MS = 3000;

export const retryLimits = {
  /** The maximum number of attempts of a request. The waits between them add up to about half a minute. */
  attempts: 16,
  /** The first retry at which the command tells the operator that requests fail. */
  reportedRetry: 5,
  /** The time, in milliseconds, that requests under way have to end after the operator has asked the command to end. */
  graceMs: 5000,
};
export type RetryLimits = typeof retryLimits;

/**
 * Returns the SDK's retry strategy for requests that DynamoDB throttles or does not respond to. Before each retry, the
 * command waits for a random time below a limit that doubles ("full jitter": AWS Architecture Blog, "Exponential
 * Backoff And Jitter"). Once `signal` is aborted, the command retries nothing.
 */
export function retries(output: Output, signal: AbortSignal, limits: RetryLimits) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const strategy = new ConfiguredRetryStrategy(
    async () => (signal.aborted ? 0 : limits.attempts),
    (retry) => {
      // The SDK lets all requests share 500 retry tokens, and a retry takes up to 14 tokens. If DynamoDB throttled
      // forty requests at once, the tokens would soon run out, and the requests would fail. Each retry therefore
      // returns its tokens.
      strategy.recordSuccess({
        getRetryCount: () => 0,
        getRetryDelay: () => 0,
        getRetryCost: () => 14,
      });
      const now = performance.now();
      if (retry >= limits.reportedRetry && now - reportedAt > REPORT_MS) {
        reportedAt = now;
        const time = `${clearOf(output)}${new Date().toISOString()}`;
        const reason = 'The table is busy, or DynamoDB does not respond';
        output.write(`${time} ${reason}: trying again. Ctrl-C stops the command.\n`);
      }
      return Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** retry);
    },
  );
  return strategy;
}
