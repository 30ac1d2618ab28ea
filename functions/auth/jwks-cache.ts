import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors';
import { Problem, unavailable } from '../contract/problem.ts';
import { type Clock, type ClockReading, elapsed } from '../platform/clock.ts';

/** In milliseconds. `cacheMaxAge`, `cooldownDuration` and `timeoutDuration` are named like jose's options. */
const limits = {
  /** How long a key may still be accepted after the issuer has removed it. */
  cacheMaxAge: 600_000,
  /** From this age on, the next request starts a refresh in the background. */
  refreshAge: 480_000,
  /**
   * Shortest time from the start of a fetch until a refresh or a refused token may start another. Longer than a fetch,
   * unless Lambda freezes the process.
   */
  cooldownDuration: 10_000,
  /** How long the negative cache lasts after the first failure. */
  firstPause: 250,
  /** For the fetch during init, which must be short. */
  prefetchTimeout: 1000,
  /** For each fetch after init. */
  timeoutDuration: 3000,
};

const NEVER: ClockReading = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** Negative cache: fetches that failed since the last successful one. */
interface Failures {
  /** Does not count fetches that began in the background. */
  count: number;
  failedAt: ClockReading;
  /** Why the last fetch that a request waited for failed, even if the fetch began in the background. */
  cause?: unknown;
}
const NO_FAILURES: Failures = { count: 0, failedAt: NEVER };

/**
 * A cache of an issuer's keys. One fetch runs at a time, and all requests that need its keys wait for it. jose's own,
 * `createRemoteJWKSet`, would repeat a failed fetch for every request, make requests wait for each refresh, and count
 * the age of keys from the end of their fetch, even if Lambda froze the process during it.
 *
 * - Fetch: a request fetches if the cache is empty or at least 10 minutes old.
 * - Refresh: from 8 minutes on, a request starts a fetch in the background and uses the cached keys meanwhile.
 * - New keys: if no cached key verifies a token, the issuer may have replaced its keys. The request fetches them and
 *   verifies once more.
 * - Cooldown: for 10 seconds from the start of a fetch, refreshes and refused tokens start no other, so that a flood of
 *   forged tokens causes no flood of fetches.
 * - Outage: cached keys serve until they are 10 minutes old. Then requests get 503: after a 401, a client would discard
 *   a token that may be valid.
 * - Negative cache: after a failed fetch that a request waited for, requests without usable keys get 503 without a
 *   fetch for a pause of 250 ms. Each further failure doubles the pause, which never outlasts the cooldown.
 *   `Retry-After` says when the next fetch may begin.
 * - Freeze: if Lambda freezes the process during a fetch, the fetched keys may be out of date, so the waiting request
 *   fetches again. Ages and pauses are measured on both clocks, and the longer time counts, because the monotonic clock
 *   may stand still during a freeze.
 *
 * Example: the issuer replaces key A with B one minute after a fetch.
 *
 * 1. The first request with a token signed with B fetches the keys: the cache has only A, and the cooldown is over.
 * 2. B verifies the token. Tokens signed with A now get 401; without a token signed with B, the cache would have
 *    accepted A for up to 9 more minutes.
 * 3. Five seconds later, a forged token with an unknown `kid` gets 401 without a fetch: the cooldown is not over.
 *
 * @param fetchKeys returns the keys that the issuer publishes now, within `timeoutMs`, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  let pendingFetch: Promise<typeof keys> | undefined;
  /** What all requests that need newer keys wait for; may take several fetches. */
  let required: Promise<typeof keys> | undefined;
  /** When the last fetch began, whatever its outcome. */
  let attemptedAt = NEVER;
  let failures = NO_FAILURES;

  const since = (moment: ClockReading) => elapsed(moment, clock());
  const fresh = () => since(keys.fetchedAt) < limits.cacheMaxAge;
  const cooldownLeftMs = () => limits.cooldownDuration - since(attemptedAt);
  const coolingDown = () => cooldownLeftMs() > 0;
  /** Time until the negative cache ends; 0 or less if there was no failure or the time is over. */
  const pauseLeftMs = () =>
    Math.min(
      limits.firstPause * 2 ** (failures.count - 1) - since(failures.failedAt),
      cooldownLeftMs(),
    );

  async function fetchNow(timeoutMs: number) {
    // The age of the keys counts from the start of the fetch, because the issuer may remove a key during it.
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

  /**
   * Returns newer keys than the cached ones. All waiting requests share one fetch, and a second one if Lambda freezes
   * the process during the first.
   */
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
    // Join a refresh under way. If it fails, the loop below fetches again, unless a pause or the cooldown forbids it.
    const fetched = await pendingFetch?.catch((cause) => {
      failures = { ...failures, cause };
    });
    if (fetched !== undefined) return fetched;
    // A failed fetch starts a pause, which ends the loop. But if Lambda froze the process during the fetch until the
    // cooldown was over, the loop fetches again.
    while (pauseLeftMs() <= 0 && !(fresh() && coolingDown())) {
      try {
        return await reload();
      } catch (cause) {
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    // When the next fetch may begin: after the cooldown if fresh keys did not verify the token, after the pause if the
    // keys are old.
    const waitMs = fresh() ? cooldownLeftMs() : pauseLeftMs();
    const { cause } = failures;
    // A fetch throws a `Problem` only if the discovery document names another issuer, which no retry cures.
    const reason = cause instanceof Problem ? 'wrongDiscovery' : 'issuer';
    throw unavailable(reason, cause, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  async function currentKeys() {
    if (!fresh()) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !coolingDown()) {
      // A failed refresh is ignored: a later request fetches again.
      void Promise.allSettled([reload()]);
    }
    return keys;
  }

  /**
   * Runs `verify`, and once more with newer keys if no key matches or the signature is invalid: an issuer may reuse a
   * `kid` or list none.
   * @throws Problem `unavailable` if the cache has no fresh key that matches and the keys cannot be fetched; otherwise
   *   the error of `verify`.
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
      // What to throw if the fetch fails: a 503 if no cached key matched, because a newer key might verify the token,
      // and clients discard a token after a 401. If a cached key matched, the token is probably forged: 401.
      const rejectWith = (failure: unknown) => Promise.reject(noKeyMatches ? failure : error);
      if (pendingFetch !== undefined || !coolingDown()) await requireKeys().catch(rejectWith);
      if (keys === used) throw error;
      return verify(keys.find);
    }
  }

  /** For init. Never rejects: if the fetch fails, the first request fetches. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([reload(limits.prefetchTimeout)]);
  }

  return { verifyWithIssuerKeys, prefetch };
}
