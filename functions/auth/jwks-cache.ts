import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors';
import { unavailable } from '../contract/problem.ts';
import { type Clock, elapsed, type Moment } from '../runtime/moment.ts';

/**
 * The limits of the JWKS cache, in milliseconds. `cacheMaxAge`, `cooldownDuration` and `timeoutDuration` have the names
 * of jose's own options.
 */
const limits = {
  /**
   * The maximum age of the cached keys. After the issuer removes a key, the service accepts this key for at most this
   * time.
   */
  cacheMaxAge: 600_000,
  /** The age at which the cached keys need a refresh. The next request then starts the refresh in the background. */
  refreshAge: 480_000,
  /**
   * The cooldown after the start of each fetch. During the cooldown, refreshes and rejected tokens start no other
   * fetch. A fetch ends before the cooldown ends, unless Lambda freezes the process during the fetch.
   */
  cooldownDuration: 10_000,
  /**
   * The pause after the first failed fetch. During the pause, requests start no fetch. Each further failed fetch
   * doubles the pause, up to `cooldownDuration`.
   */
  firstPause: 250,
  /** The time limit of the fetch during init. This limit is short, because init must not take long. */
  prefetchTimeout: 1000,
  /** The time limit of each fetch after init. */
  timeoutDuration: 3000,
};

const NEVER: Moment = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** The negative cache: the failed fetches since the last successful fetch. */
interface Failures {
  /** The number of failed fetches that requests started and waited for. Fetches in the background do not count. */
  count: number;
  /** The time of the last failure that `count` includes. */
  failedAt: Moment;
  /** The error of the last failed fetch that a request waited for, even if this fetch had started in the background. */
  cause?: unknown;
}
const NO_FAILURES: Failures = { count: 0, failedAt: NEVER };

/**
 * Creates a cache of an issuer's keys. Only one fetch runs at a time. All requests that need the fetched keys wait for
 * this fetch.
 *
 * - Fetch: a request fetches the keys if the cache is empty or the cached keys are at least 10 minutes old.
 * - Refresh: if the cached keys are at least 8 minutes old, a request starts a fetch in the background. Requests do not
 *   wait for this refresh, but use the cached keys.
 * - New keys: if no cached key verifies a token's signature, the issuer may have replaced its keys. The request then
 *   fetches the keys and verifies the token once more.
 * - Cooldown: for 10 seconds after the start of a fetch, refreshes and rejected tokens start no other fetch. A flood of
 *   forged tokens therefore does not cause a flood of fetches.
 * - Outage: if the issuer is down, the cached keys verify tokens until they are 10 minutes old. After that, requests
 *   get 503.
 * - Negative cache: if a request's fetch fails during an outage, a pause of 250 ms begins. During the pause, requests
 *   get 503 without a fetch. Each further failure doubles the pause, up to 10 seconds. `Retry-After` is the rest of the
 *   pause.
 * - Freeze: Lambda may freeze the process during a fetch. The fetched keys may be out of date after the freeze, so the
 *   waiting request fetches the keys again. The cache measures ages and pauses on the wall clock and on a monotonic
 *   clock, because the monotonic clock may stand still during a freeze.
 *
 * For example, the issuer replaces key A with key B one minute after a fetch:
 *
 * 1. A token signed with B arrives. The cache has only A, and the cooldown is over. The request fetches the keys.
 * 2. The cache now has only B. B verifies the token. Requests with tokens signed with A now get 401.
 * 3. Five seconds later, a forged token names an unknown key. The request gets 401 without a fetch, because the
 *    cooldown is not over.
 *
 * @param fetchKeys a function that returns the issuer's current keys within `timeoutMs` milliseconds, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  /** The fetch in progress, if there is one. */
  let pendingFetch: Promise<typeof keys> | undefined;
  /** The newer keys that requests are waiting for. `reloadForRequests` may need several fetches to get these keys. */
  let required: Promise<typeof keys> | undefined;
  /** The time at which the last fetch started, whether this fetch succeeded or failed. */
  let attemptedAt = NEVER;
  let failures = NO_FAILURES;

  const since = (moment: Moment) => elapsed(moment, clock());
  const fresh = () => since(keys.fetchedAt) < limits.cacheMaxAge;
  const cooldownLeftMs = () => limits.cooldownDuration - since(attemptedAt);
  const coolingDown = () => cooldownLeftMs() > 0;
  /** Returns the milliseconds until the pause after the last failed fetch ends; 0 or less if there is no pause. */
  const pauseLeftMs = () =>
    Math.min(
      limits.firstPause * 2 ** (failures.count - 1) - since(failures.failedAt),
      cooldownLeftMs(),
    );

  async function fetchNow(timeoutMs: number) {
    // The age of the keys counts from the start of the fetch, because the issuer may remove a key during the fetch.
    attemptedAt = clock();
    const find = createLocalJWKSet(await fetchKeys(timeoutMs));
    failures = NO_FAILURES;
    keys = { find, fetchedAt: attemptedAt };
    return keys;
  }

  /** Starts a fetch of the keys, or joins the fetch in progress. */
  function reload(timeoutMs = limits.timeoutDuration) {
    pendingFetch ??= fetchNow(timeoutMs).finally(() => {
      pendingFetch = undefined;
    });
    return pendingFetch;
  }

  /**
   * Returns newer keys than the cached keys. If several requests need newer keys, they all wait for the same keys. If
   * Lambda froze the process during the fetch, fetches the keys again, because the issuer may have replaced its keys
   * during the freeze.
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
    // Wait for a fetch that is in progress, such as a refresh in the background. If this fetch fails and the cached
    // keys are too old, the loop below fetches the keys.
    const fetched = await pendingFetch?.catch((cause) => {
      failures = { ...failures, cause };
    });
    if (fetched !== undefined) return fetched;
    // A failed fetch normally starts a pause, and the pause ends the loop. If Lambda froze the process during the fetch
    // until the cooldown was over, there is no pause, and the loop fetches again.
    while (pauseLeftMs() <= 0 && !(fresh() && coolingDown())) {
      try {
        return await reload();
      } catch (cause) {
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    // If the cached keys are fresh, they did not verify the token. The next fetch is possible after the cooldown. If
    // the cached keys are too old, the next fetch is possible after the pause.
    const waitMs = fresh() ? cooldownLeftMs() : pauseLeftMs();
    throw unavailable('issuer', failures.cause, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** Returns the keys for a request. If the cached keys need a refresh, starts the refresh in the background. */
  async function currentKeys() {
    if (!fresh()) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !coolingDown()) {
      // Ignore a failure of the refresh. A later request fetches the keys again.
      void Promise.allSettled([reload()]);
    }
    return keys;
  }

  /**
   * Runs `verify` with the current keys. If no key matches or the signature is invalid, the issuer may have replaced
   * its keys. (An invalid signature may mean a new key with the `kid` of an old key, or without a `kid`.) If there are
   * newer keys, runs `verify` once more.
   * @throws Problem `unavailable` if no cached key matches and the keys cannot be fetched; otherwise the error of
   *   `verify`.
   */
  async function withKeys<T>(verify: (findKey: JWTVerifyGetKey) => Promise<T>): Promise<T> {
    let used = keys;
    try {
      return await verify(async (header, token) => {
        used = await currentKeys();
        return used.find(header, token);
      });
    } catch (error) {
      const noKeyMatches = error instanceof JWKSNoMatchingKey;
      if (!noKeyMatches && !(error instanceof JWSSignatureVerificationFailed)) throw error;
      // The fetch of newer keys may fail. If no cached key matched, a newer key might verify the token, so the request
      // gets 503. If a cached key matched but the signature is invalid, the token is probably forged, so the request
      // gets 401.
      const rejectWith = (failure: unknown) => Promise.reject(noKeyMatches ? failure : error);
      if (pendingFetch !== undefined || !coolingDown()) await requireKeys().catch(rejectWith);
      if (keys === used) throw error;
      return verify(keys.find);
    }
  }

  /** Fetches the keys during init. If this fetch fails, the first request fetches the keys. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([reload(limits.prefetchTimeout)]);
  }

  return { withKeys, prefetch };
}
