import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { clearOf } from './output.ts';
import type { Output } from './run-command.ts';

/** The longest wait before the first retry of a request, and before any, in milliseconds. */
const BASE_MS = 100;
const CAP_MS = 5000;
/** How long until the operator is told again that requests fail, in milliseconds. */
const REPORT_MS = 3000;

export const retryLimits = {
  /** The most attempts of a request, which take about half a minute. */
  attempts: 16,
  /** The retry with which the operator is told that requests fail. */
  reportedRetry: 5,
  /** How long requests under way may take after the operator has asked the command to end, in milliseconds. */
  graceMs: 5000,
};
export type RetryLimits = typeof retryLimits;

/**
 * How a command retries the requests that DynamoDB throttles or does not respond to: none after `signal`. It
 * waits for a random time below a limit that doubles ("full jitter": AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 */
export function retries(output: Output, signal: AbortSignal, limits: RetryLimits) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const strategy = new ConfiguredRetryStrategy(
    async () => (signal.aborted ? 0 : limits.attempts),
    (retry) => {
      // All requests share 500 tokens, of which a retry takes up to 14: forty that are throttled at once would
      // soon fail. So each retry puts back what it takes.
      strategy.recordSuccess({
        getRetryCount: () => 0,
        getRetryDelay: () => 0,
        getRetryCost: () => 14,
      });
      const now = performance.now();
      if (retry >= limits.reportedRetry && now - reportedAt > REPORT_MS) {
        reportedAt = now;
        const what = 'The table is busy, or DynamoDB does not respond';
        const time = `${clearOf(output)}${new Date().toISOString()}`;
        output.write(`${time} ${what}: trying again. Ctrl-C stops the command.\n`);
      }
      return Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** retry);
    },
  );
  return strategy;
}
