import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { Problem } from '../domain/problem.ts';

/** How long keys are used before they are fetched again: a removed key is refused from then on. */
export const KEYS_LIVE_MS = 600_000;
/** The least age of the keys at which an unknown key has them fetched again. */
export const REFETCH_FLOOR_MS = 10_000;
/** How long a failed fetch is not repeated, so that an outage is not one fetch per request. */
export const FAILURE_LIVES_MS = 10_000;

/**
 * The issuer's keys for `jwtVerify`: fetched when first needed, cached, and fetched again when they
 * are old or a token names a key they lack; one fetch at a time.
 * @param fetchKeys gives the issuer's current keys, in bounded time, or throws.
 * @param now the time in milliseconds.
 * @throws Problem `unavailable` where the keys cannot be had, JOSE errors where no key matches.
 */
export function keySet(
  fetchKeys: () => Promise<JSONWebKeySet>,
  now: () => number = Date.now,
): JWTVerifyGetKey {
  let keys: { find: JWTVerifyGetKey; fetchedAt: number } | undefined;
  let failure: { cause: unknown; failedAt: number } | undefined;
  let pending: Promise<void> | undefined;

  async function fetchOnce(): Promise<void> {
    try {
      keys = { find: createLocalJWKSet(await fetchKeys()), fetchedAt: now() };
      failure = undefined;
    } catch (cause) {
      failure = { cause, failedAt: now() };
    }
  }

  async function youngerThan(age: number) {
    if (keys !== undefined && now() - keys.fetchedAt < age) return keys;
    if (failure === undefined || now() - failure.failedAt >= FAILURE_LIVES_MS) {
      pending ??= fetchOnce().finally(() => {
        pending = undefined;
      });
      await pending;
    }
    if (keys === undefined || failure !== undefined) throw unavailable(failure?.cause);
    return keys;
  }

  return async (header, token) => {
    const cached = await youngerThan(KEYS_LIVE_MS);
    try {
      return await cached.find(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      const refetched = await youngerThan(REFETCH_FLOOR_MS);
      if (refetched === cached) throw error;
      return refetched.find(header, token);
    }
  };
}

const unavailable = (cause: unknown) =>
  new Problem('unavailable', 'The token issuer does not answer. Try again later.', {
    retryAfter: FAILURE_LIVES_MS / 1000,
    cause,
  });
