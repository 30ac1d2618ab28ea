import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { Problem, problemTypes } from '../contract/problem.ts';

/** The limits of a JWKS cache, in milliseconds. The names are those of jose. */
export interface JwksCacheLimits {
  /** How long keys are used before they are fetched again, and so a removed key is accepted. */
  cacheMaxAge: number;
  /** The least age of the keys at which a token with an unknown key has them fetched again. */
  cooldownDuration: number;
  /** How long a failed fetch is not repeated, so that an outage is not one fetch per request. */
  failureCooldown: number;
}

const LIMITS: JwksCacheLimits = {
  cacheMaxAge: 600_000,
  cooldownDuration: 10_000,
  failureCooldown: 10_000,
};

interface CachedKeys {
  find: JWTVerifyGetKey;
  fetchedAt: number;
}

/** A cache of an issuer's keys. */
export interface JwksCache {
  /**
   * Finds a token's key for `jwtVerify`.
   * @throws Problem `unavailable` if the keys cannot be fetched, JOSE errors if no key matches.
   */
  find: JWTVerifyGetKey;
  /** Fetches the keys ahead of the first token. A failure is reported to that token's request. */
  prefetch(): Promise<void>;
}

/**
 * Caches an issuer's keys, and fetches them again if they are too old or a token names a key that is
 * not among them. There is one fetch at a time.
 * @param fetchKeys gives the issuer's current keys within bounded time, or throws.
 * @param now the time in milliseconds.
 */
export function jwksCache(
  fetchKeys: () => Promise<JSONWebKeySet>,
  { cacheMaxAge, cooldownDuration, failureCooldown }: JwksCacheLimits = LIMITS,
  now: () => number = Date.now,
): JwksCache {
  let keys: CachedKeys | undefined;
  let failure: { cause: unknown; failedAt: number } | undefined;
  let pending: Promise<CachedKeys> | undefined;

  const issuerUnavailable = (cause: unknown) =>
    new Problem('unavailable', {
      detail: problemTypes.unavailable.detail.issuer,
      retryAfter: Math.ceil(failureCooldown / 1000),
      cause,
    });

  async function fetchOnce(): Promise<CachedKeys> {
    try {
      keys = { find: createLocalJWKSet(await fetchKeys()), fetchedAt: now() };
      failure = undefined;
      return keys;
    } catch (cause) {
      failure = { cause, failedAt: now() };
      throw issuerUnavailable(cause);
    }
  }

  async function keysYoungerThan(age: number): Promise<CachedKeys> {
    if (keys !== undefined && now() - keys.fetchedAt < age) return keys;
    if (failure !== undefined && now() - failure.failedAt < failureCooldown) {
      throw issuerUnavailable(failure.cause);
    }
    pending ??= fetchOnce().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async find(header, token) {
      const { find } = await keysYoungerThan(cacheMaxAge);
      try {
        return await find(header, token);
      } catch (error) {
        if (!(error instanceof JWKSNoMatchingKey)) throw error;
        const { find } = await keysYoungerThan(cooldownDuration);
        return find(header, token);
      }
    },
    async prefetch() {
      await Promise.allSettled([keysYoungerThan(cacheMaxAge)]);
    },
  };
}
