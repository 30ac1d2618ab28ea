import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { Problem, problemTypes } from '../contract/problem.ts';

/** How long keys are used before they are fetched again: a removed key is refused from then on. */
export const KEYS_LIVE_MS = 600_000;
/** The least age of the keys at which an unknown key has them fetched again. */
export const REFETCH_FLOOR_MS = 10_000;
/** How long a failed fetch is not repeated, so that an outage is not one fetch per request. */
export const FAILURE_LIVES_MS = 10_000;

interface Keys {
  find: JWTVerifyGetKey;
  fetchedAt: number;
}

/** The keys of an issuer. */
export interface KeySet {
  /**
   * Finds a token's key for `jwtVerify`.
   * @throws Problem `unavailable` where the keys cannot be had, JOSE errors where no key matches.
   */
  find: JWTVerifyGetKey;
  /** Fetches the keys ahead of the first token, which is told where they cannot be had. */
  prefetch(): Promise<void>;
}

/**
 * The issuer's keys, cached, and fetched again when they are old or a token names a key they lack;
 * one fetch at a time.
 * @param fetchKeys gives the issuer's current keys, in bounded time, or throws.
 * @param now the time in milliseconds.
 */
export function keySet(
  fetchKeys: () => Promise<JSONWebKeySet>,
  now: () => number = Date.now,
): KeySet {
  let keys: Keys | undefined;
  let failure: { cause: unknown; failedAt: number } | undefined;
  let pending: Promise<Keys> | undefined;

  async function fetchOnce(): Promise<Keys> {
    try {
      keys = { find: createLocalJWKSet(await fetchKeys()), fetchedAt: now() };
      failure = undefined;
      return keys;
    } catch (cause) {
      failure = { cause, failedAt: now() };
      throw unavailable(cause);
    }
  }

  async function youngerThan(age: number): Promise<Keys> {
    if (keys !== undefined && now() - keys.fetchedAt < age) return keys;
    if (failure !== undefined && now() - failure.failedAt < FAILURE_LIVES_MS) {
      throw unavailable(failure.cause);
    }
    pending ??= fetchOnce().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async find(header, token) {
      const { find } = await youngerThan(KEYS_LIVE_MS);
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof JWKSNoMatchingKey)) throw error;
        const { find } = await youngerThan(REFETCH_FLOOR_MS);
        return find(header, token);
      }
    },
    async prefetch() {
      // The failure is kept for the first token.
      await Promise.allSettled([youngerThan(KEYS_LIVE_MS)]);
    },
  };
}

const unavailable = (cause: unknown) =>
  new Problem('unavailable', {
    detail: problemTypes.unavailable.detail.issuer,
    retryAfter: FAILURE_LIVES_MS / 1000,
    cause,
  });
