import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors';
import { unavailable } from '../contract/problem.ts';
import { type Clock, elapsed, type Moment } from '../runtime/moment.ts';

/** The limits of the JWKS cache, in milliseconds. Limits that jose also has are named as in jose. */
const limits = {
  /** The maximum age of the cached keys. A key that the issuer removes is accepted for at most this time. */
  cacheMaxAge: 600_000,
  /** When the cached keys reach this age, the next request refreshes them in the background. */
  refreshAge: 480_000,
  /**
   * The time in which refreshes and rejected tokens start at most one fetch. A fetch ends within this time,
   * unless Lambda freezes the process during the fetch.
   */
  cooldownDuration: 10_000,
  /** The pause after the first failed fetch. Each further failure doubles the pause, up to the cooldown. */
  firstPause: 250,
  /** The time limit of the fetch during init. Init must stay short. */
  prefetchTimeout: 1000,
  /** The time limit of all fetches after init. */
  timeoutDuration: 3000,
};

const NEVER: Moment = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** The negative cache: the failures since the last fetch that succeeded. */
interface Failures {
  /** The number of failed fetches that requests waited for. */
  count: number;
  /** The end of the last fetch that `count` includes. */
  failedAt: Moment;
  /** The error of the last failed fetch, background fetches included. */
  cause?: unknown;
}
const NO_FAILURES: Failures = { count: 0, failedAt: NEVER };

/**
 * Creates a cache of an issuer's keys. Only one fetch runs at a time, and all requests that need the fetched
 * keys wait for this fetch.
 *
 * - Fetch: a request fetches the keys if the cache is empty or the cached keys are 10 minutes old.
 * - Refresh: a request that finds keys of 8 minutes or more starts a fetch in the background. Requests do not
 *   wait for the refresh. They use the cached keys.
 * - New keys: if no cached key verifies a token's signature, the issuer may have replaced its keys. The request
 *   fetches the keys and verifies the token once more.
 * - Cooldown: refreshes and rejected tokens start at most one fetch in 10 seconds, so that a flood of forged
 *   tokens does not become a flood of fetches.
 * - Outage: the cached keys verify tokens until they are 10 minutes old. After that, requests get 503.
 * - Negative cache: after a fetch fails during an outage, requests get 503 without a fetch for 250 ms. This
 *   pause doubles with each further failure, up to 10 seconds. `Retry-After` is the rest of the pause.
 * - Freeze: Lambda may freeze the process during a fetch. The fetched keys may then be out of date, so the
 *   waiting request fetches again. Ages and pauses are measured on the wall clock and on a monotonic clock,
 *   because the monotonic clock may stand still during the freeze.
 *
 * For example, the issuer replaces key A with key B one minute after a fetch:
 *
 * 1. A token signed with B arrives. The cache has only A, and the cooldown is over: the request fetches the keys.
 * 2. The cache now has only B. B verifies the token, and tokens signed with A get 401.
 * 3. Five seconds later, a forged token names an unknown key. The token gets 401 without a fetch, because of the
 *    cooldown.
 *
 * @param fetchKeys returns the issuer's current keys within `timeoutMs` milliseconds, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  /** The fetch under way. */
  let pendingFetch: Promise<typeof keys> | undefined;
  /** The newer keys that requests wait for. Getting these keys may take several fetches. */
  let required: Promise<typeof keys> | undefined;
  /** The beginning of the last fetch, whether the fetch succeeded or failed. */
  let attemptedAt = NEVER;
  let failures = NO_FAILURES;

  const since = (moment: Moment) => elapsed(moment, clock());
  const fresh = () => since(keys.fetchedAt) < limits.cacheMaxAge;
  const cooldownLeftMs = () => limits.cooldownDuration - since(attemptedAt);
  const coolingDown = () => cooldownLeftMs() > 0;
  /** Returns the rest of the pause after the last failure; 0 or less if there is no pause. */
  const pauseLeftMs = () =>
    Math.min(
      limits.firstPause * 2 ** (failures.count - 1) - since(failures.failedAt),
      cooldownLeftMs(),
    );

  async function fetchNow(timeoutMs: number) {
    // The age of the keys counts from the beginning of the fetch, because the issuer may remove a key before the fetch ends.
    attemptedAt = clock();
    const find = createLocalJWKSet(await fetchKeys(timeoutMs));
    failures = NO_FAILURES;
    keys = { find, fetchedAt: attemptedAt };
    return keys;
  }

  /** Fetches the keys, or joins the fetch under way. */
  function reload(timeoutMs = limits.timeoutDuration) {
    pendingFetch ??= fetchNow(timeoutMs).finally(() => {
      pendingFetch = undefined;
    });
    return pendingFetch;
  }

  /**
   * Returns newer keys, for requests that the cached keys cannot serve. All such requests wait for the same keys.
   * If Lambda froze the process during the fetch, fetches again, because the issuer may have replaced its keys
   * meanwhile.
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
    // A refresh may be under way. If the refresh fails and the cached keys are too old, fetch again.
    const fetched = await pendingFetch?.catch((cause) => {
      failures = { ...failures, cause };
    });
    if (fetched !== undefined) return fetched;
    // After a failed fetch, there is normally a pause. If Lambda froze the process during the fetch until the
    // cooldown was over, there is no pause, and the loop fetches again.
    while (pauseLeftMs() <= 0 && !(fresh() && coolingDown())) {
      try {
        return await reload();
      } catch (cause) {
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    // If the cached keys are fresh, a token that they did not verify needs newer keys. The fetch of newer keys
    // waits for the cooldown.
    const waitMs = fresh() ? cooldownLeftMs() : pauseLeftMs();
    throw unavailable('issuer', failures.cause, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** Returns the keys for a request. Starts a refresh in the background if the cached keys are old. */
  async function currentKeys() {
    if (!fresh()) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !coolingDown()) {
      // A failed refresh is not reported: a later request fetches again.
      void Promise.allSettled([reload()]);
    }
    return keys;
  }

  /**
   * Runs `verify` with the current keys. If no key matches or the signature is invalid, the issuer may have
   * replaced its keys, even under the same `kid` or without a `kid`. If there are newer keys, runs `verify` once
   * more.
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
      // Anyone can send an invalid signature. A 503 for such a token would let strangers trigger an alarm.
      const rejectWith = (failure: unknown) => Promise.reject(noKeyMatches ? failure : error);
      if (pendingFetch !== undefined || !coolingDown()) await requireKeys().catch(rejectWith);
      if (keys === used) throw error;
      return verify(keys.find);
    }
  }

  /** Fetches the keys during init. If this fetch fails, the first request fetches again. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([reload(limits.prefetchTimeout)]);
  }

  return { withKeys, prefetch };
}
