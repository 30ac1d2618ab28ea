import { setTimeout as sleep } from 'node:timers/promises';
import type { RetryErrorInfo, RetryStrategyV2, RetryToken } from '@smithy/types';
import type { Output } from './command.ts';
import { nameOf } from './failure.ts';

/** The longest wait before the first retry of a request, and before any. */
const BASE_MS = 100;
const CAP_MS = 5000;

/** How long to be patient, in milliseconds. */
export interface Patience {
  /** How long requests fail before the operator is told, and how long until that is said again. */
  sayAfterMs: number;
  /** How long all requests of the command fail before one gives up. */
  giveUpAfterMs: number;
}

const PATIENCE: Patience = { sayAfterMs: 3000, giveUpAfterMs: 30_000 };

const tokenOf = (retries: number): RetryToken => ({
  getRetryCount: () => retries,
  getRetryDelay: () => 0,
});

/**
 * How a command retries the requests that DynamoDB throttles or does not answer: as long as any of its
 * requests succeeds, and then for a bounded time; none after `signal`. It waits for a random time below a
 * limit that doubles ("full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter").
 */
export class Retries implements RetryStrategyV2 {
  readonly #output: Output;
  readonly #signal: AbortSignal;
  readonly #patience: Patience;
  /** Since when all requests fail. */
  #failingSince: number | undefined;
  #saidAt = 0;

  constructor(output: Output, signal: AbortSignal, patience = PATIENCE) {
    this.#output = output;
    this.#signal = signal;
    this.#patience = patience;
  }

  async acquireInitialRetryToken(): Promise<RetryToken> {
    return tokenOf(0);
  }

  /** Waits until the next attempt. The SDK throws the error of the last one if this throws. */
  async refreshRetryTokenForRetry(token: RetryToken, failure: RetryErrorInfo): Promise<RetryToken> {
    const { error, errorType } = failure;
    // DynamoDB has answered, so it is neither busy nor away.
    if (errorType === 'CLIENT_ERROR') this.recordSuccess();
    const now = performance.now();
    this.#failingSince ??= now;
    const failingMs = now - this.#failingSince;
    if (errorType === 'CLIENT_ERROR' || failingMs > this.#patience.giveUpAfterMs) throw error;
    if (Math.min(failingMs, now - this.#saidAt) > this.#patience.sayAfterMs) {
      this.#saidAt = now;
      const what = errorType === 'THROTTLING' ? 'The table is busy' : 'DynamoDB does not respond';
      const why = error === undefined ? '' : ` (${nameOf(error)})`;
      const time = new Date().toISOString();
      this.#output.write(`${time} ${what}${why}: trying again. Ctrl-C stops the command.\n`);
    }
    const retries = token.getRetryCount();
    const waitMs = Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** retries);
    await sleep(waitMs, undefined, { signal: this.#signal });
    return tokenOf(retries + 1);
  }

  recordSuccess(): void {
    this.#failingSince = undefined;
  }
}
