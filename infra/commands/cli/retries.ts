import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { clearOf } from './output.ts';
import type { Output } from './run-command.ts';

/** The limit of the wait before the first retry, in milliseconds. The limit doubles with each retry. */
const BASE_MS = 100;
/** The longest wait before any retry, in milliseconds. */
const CAP_MS = 5000;
/** The shortest time between two messages about failing requests, in milliseconds. */
const REPORT_MS = 3000;

export const retryLimits = {
  /** The maximum number of attempts of a request. Together, the attempts take about half a minute. */
  attempts: 16,
  /** The first retry at which the command tells the operator that requests fail. */
  reportedRetry: 5,
  /** The time that requests under way have after the operator has asked the command to end, in milliseconds. */
  graceMs: 5000,
};
export type RetryLimits = typeof retryLimits;

/**
 * Returns the strategy for retries of requests that DynamoDB throttles or does not respond to. Before each retry, the
 * command waits for a random time below a limit that doubles ("full jitter": AWS Architecture Blog, "Exponential
 * Backoff And Jitter"). After `signal`, the command retries nothing.
 */
export function retries(output: Output, signal: AbortSignal, limits: RetryLimits) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const strategy = new ConfiguredRetryStrategy(
    async () => (signal.aborted ? 0 : limits.attempts),
    (retry) => {
      // All requests share 500 tokens, and a retry takes up to 14 tokens. If forty requests were throttled at once,
      // they would soon fail. Each retry therefore returns its tokens.
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
