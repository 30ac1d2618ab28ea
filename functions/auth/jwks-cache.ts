import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors';
import { isWrongDiscovery, Problem, unavailable } from '../contract/problem.ts';
import { type Clock, type ClockReading, elapsed } from '../platform/clock.ts';

/** In milliseconds. `cacheMaxAge`, `cooldownDuration` and `timeoutDuration` are named as in jose. */
const limits = {
  /** A key that the issuer removes is accepted for at most this long. */
  cacheMaxAge: 600_000,
  refreshAge: 480_000,
  /** Must exceed `timeoutDuration`, or no pause would follow a fetch that timed out. */
  cooldownDuration: 10_000,
  firstPause: 250,
  prefetchTimeout: 1000,
  timeoutDuration: 3000,
};

const NEVER: ClockReading = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** Fetches that failed since the last successful one. */
interface Failures {
  /** Background fetches do not count. */
  count: number;
  failedAt: ClockReading;
  /** Why the last awaited fetch failed, even if it began in the background. */
  cause?: unknown;
}
const NO_FAILURES: Failures = { count: 0, failedAt: NEVER };

/**
 * docs/architecture.md shows when a request fetches keys, waits or gets an error. Only one fetch runs at a time; all
 * requests that need newer keys wait for it.
 *
 * jose's `createRemoteJWKSet` would repeat a failed fetch for every request, make requests wait for each refresh, and
 * count the age of keys from the end of their fetch, even if Lambda froze the process during it.
 *
 * - Cooldown: forged tokens must not cause a flood of fetches. For 10 seconds after one starts, neither a refresh nor a
 *   refused token starts another.
 * - Outage: cached keys serve until they are 10 minutes old; then requests get 503. A 401 would make clients discard
 *   tokens that may be valid.
 * - Negative cache: after a failed fetch, requests without usable keys get 503 for 250 ms without another fetch. Each
 *   further failure doubles this pause, up to the end of the cooldown; background fetches do not count. `Retry-After`
 *   says when the next fetch may begin.
 * @param fetchKeys returns the keys that the issuer publishes now, within `timeoutMs`, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  let pendingFetch: Promise<typeof keys> | undefined;
  /** Shared by all requests that wait for newer keys; may take several fetches. */
  let required: Promise<typeof keys> | undefined;
  let attemptedAt = NEVER;
  let failures = NO_FAILURES;

  const since = (moment: ClockReading) => elapsed(moment, clock());
  const fresh = () => since(keys.fetchedAt) < limits.cacheMaxAge;
  const cooldownLeftMs = () => limits.cooldownDuration - since(attemptedAt);
  const coolingDown = () => cooldownLeftMs() > 0;
  const pauseLeftMs = () =>
    Math.min(
      limits.firstPause * 2 ** (failures.count - 1) - since(failures.failedAt),
      cooldownLeftMs(),
    );

  async function fetchNow(timeoutMs: number) {
    // Count the keys' age from here: the issuer may remove a key during the fetch.
    attemptedAt = clock();
    const find = createLocalJWKSet(await fetchKeys(timeoutMs));
    failures = NO_FAILURES;
    keys = { find, fetchedAt: attemptedAt };
    return keys;
  }

  function reload(timeoutMs = limits.timeoutDuration) {
    pendingFetch ??= fetchNow(timeoutMs).finally(() => {
      pendingFetch = undefined;
    });
    return pendingFetch;
  }

  /** If Lambda froze the process during a fetch, its keys may be out of date: fetch again. */
  async function requireKeys() {
    for (;;) {
      required ??= reloadForRequests().finally(() => {
        required = undefined;
      });
      const fetched = await required;
      if (since(fetched.fetchedAt) < limits.cooldownDuration) return fetched;
    }
  }

  async function reloadForRequests() {
    // Join a refresh under way. If it fails, the loop below may fetch again.
    const fetched = await pendingFetch?.catch((cause) => {
      failures = { ...failures, cause };
    });
    if (fetched !== undefined) return fetched;
    // One failure normally ends the loop, because it starts a pause. If Lambda froze the process past the cooldown,
    // there is no pause, and the loop fetches again.
    while (pauseLeftMs() <= 0 && !(fresh() && coolingDown())) {
      try {
        return await reload();
      } catch (cause) {
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    // If the keys are fresh, none of them verified the token. After the cooldown, newer ones may.
    const waitMs = fresh() ? cooldownLeftMs() : pauseLeftMs();
    const { cause } = failures;
    // A retry would not help: the issuer has no usable key for RS256 or ES256.
    if (cause instanceof Problem && cause.code === 'invalid_token') throw cause;
    const reason = isWrongDiscovery(cause) ? 'wrongDiscovery' : 'issuer';
    throw unavailable(reason, cause, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  async function currentKeys() {
    if (!fresh()) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !coolingDown()) {
      // Ignore a failed refresh: a later request fetches again.
      void Promise.allSettled([reload()]);
    }
    return keys;
  }

  /**
   * Runs `verify`. If no key matches or the signature is invalid, runs it once more with newer keys: an issuer may
   * reuse a `kid` or omit it.
   * @throws Problem `unavailable` if no fresh key matches and newer ones cannot be fetched (`invalid_token` if the
   *   issuer has none for RS256 or ES256); otherwise what `verify` throws.
   */
  async function verifyWithIssuerKeys<T>(
    verify: (findKey: JWTVerifyGetKey) => Promise<T>,
  ): Promise<T> {
    let used = keys;
    try {
      return await verify(async (header, token) => {
        used = await currentKeys();
        return used.find(header, token);
      });
    } catch (error) {
      const noKeyMatches = error instanceof JWKSNoMatchingKey;
      if (!noKeyMatches && !(error instanceof JWSSignatureVerificationFailed)) throw error;
      // If the fetch fails and no cached key matched: 503. A newer key might verify the token, and clients discard a
      // token after a 401. If a cached key matched, the token is probably forged: 401.
      const rejectWith = (failure: unknown) => Promise.reject(noKeyMatches ? failure : error);
      if (pendingFetch !== undefined || !coolingDown()) await requireKeys().catch(rejectWith);
      if (keys === used) throw error;
      return verify(keys.find);
    }
  }

  /** Never rejects: if the fetch fails, the first request tries again. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([reload(limits.prefetchTimeout)]);
  }

  return { verifyWithIssuerKeys, prefetch };
}
