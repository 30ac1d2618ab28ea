import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { clearOf } from '../../command/output.ts';
import type { Output } from '../../command/run-command.ts';

/** The first retry waits up to twice this time. */
const BASE_MS = 100;
const CAP_MS = 5000;
const REPORT_INTERVAL_MS = 3000;

export const retryLimits = {
  /** Waits between a request's attempts add up to half a minute on average. */
  attempts: 16,
  reportedRetry: 5,
  /** For requests under way after Ctrl-C. */
  graceMs: 5000,
};
export type RetryLimits = typeof retryLimits;

/** "Full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter". */
export function retryStrategyOf(output: Output, signal: AbortSignal, limits: RetryLimits) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const strategy = new ConfiguredRetryStrategy(
    async () => (signal.aborted ? 0 : limits.attempts),
    (retry) => {
      // Give each retry's tokens back. All requests share the SDK's 500, and a retry takes up to 14: forty throttled
      // requests would soon run out and fail.
      strategy.recordSuccess({
        getRetryCount: () => 0,
        getRetryDelay: () => 0,
        getRetryCost: () => 14,
      });
      const now = performance.now();
      if (retry >= limits.reportedRetry && now - reportedAt > REPORT_INTERVAL_MS) {
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
