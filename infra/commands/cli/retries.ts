import { setTimeout as sleep } from 'node:timers/promises';
import type { RetryStrategyV2, RetryToken } from '@smithy/types';
import type { Output } from './command.ts';
import { nameOf } from './failure.ts';
import { clearOf } from './output.ts';

/** The longest wait before the first retry of a request, and before any. */
const BASE_MS = 100;
const CAP_MS = 5000;

/** Time limits of retries, in milliseconds. */
export interface RetryLimits {
  /** How long requests fail before the operator is told, and how long until that is said again. */
  reportAfterMs: number;
  /** How long all requests of the command fail before one gives up. */
  giveUpAfterMs: number;
  /** How long the requests under way may take after the operator has asked the command to end. */
  graceMs: number;
}

export const retryLimits: RetryLimits = {
  reportAfterMs: 3000,
  giveUpAfterMs: 30_000,
  graceMs: 5000,
};

const tokenOf = (retries: number): RetryToken => ({
  getRetryCount: () => retries,
  getRetryDelay: () => 0,
});

/**
 * How a command retries the requests that DynamoDB throttles or does not respond to: as long as any of its
 * requests succeeds, and then for a bounded time; none after `signal`. It waits for a random time below a
 * limit that doubles ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter").
 */
export function retries(output: Output, signal: AbortSignal, limits: RetryLimits): RetryStrategyV2 {
  /** Since when all requests fail. */
  let failingSince: number | undefined;
  let reportedAt = 0;
  return {
    acquireInitialRetryToken: async () => tokenOf(0),
    recordSuccess() {
      failingSince = undefined;
    },
    // The SDK throws the error of the last attempt if this throws.
    async refreshRetryTokenForRetry(token, { error, errorType }) {
      const now = performance.now();
      const failingMs = now - (failingSince ?? now);
      // DynamoDB has responded, so it is neither busy nor away.
      failingSince = errorType === 'CLIENT_ERROR' ? undefined : now - failingMs;
      if (failingSince === undefined || failingMs > limits.giveUpAfterMs) throw error;
      if (Math.min(failingMs, now - reportedAt) > limits.reportAfterMs) {
        reportedAt = now;
        const what = errorType === 'THROTTLING' ? 'The table is busy' : 'DynamoDB does not respond';
        const why = error === undefined ? '' : ` (${nameOf(error)})`;
        const time = `${clearOf(output)}${new Date().toISOString()}`;
        output.write(`${time} ${what}${why}: trying again. Ctrl-C stops the command.\n`);
      }
      const count = token.getRetryCount();
      const waitMs = Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** count);
      await sleep(waitMs, undefined, { signal });
      return tokenOf(count + 1);
    },
  };
}
