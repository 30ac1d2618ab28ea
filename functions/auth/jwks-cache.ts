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
  /** Longer than a fetch, unless Lambda freezes the process. */
  cooldownDuration: 10_000,
  /** Of the negative cache, after the first failure. */
  firstPause: 250,
  /** During init, which must be short. */
  prefetchTimeout: 1000,
  /** After init. */
  timeoutDuration: 3000,
};

const NEVER: ClockReading = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** Negative cache: fetches that failed since the last successful one. */
interface Failures {
  /** Of fetches that requests waited for; those in the background do not count. */
  count: number;
  failedAt: ClockReading;
  /** Why the last awaited fetch failed, even if it began in the background. */
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
 *   fetch for 250 ms, doubled by each further failure, but never beyond the cooldown. `Retry-After` says when the next
 *   fetch may begin.
 * - Freeze: if Lambda freezes the process during a fetch, the fetched keys may be out of date, so the waiting request
 *   fetches again. Ages and pauses count on both clocks, because the monotonic one may stand still during a freeze.
 *
 * Example: the issuer replaces key A with B one minute after a fetch.
 *
 * 1. For the first token signed with B, the request fetches the keys: the cache has only A, and the cooldown is over.
 * 2. B verifies it. Tokens signed with A now get 401; without a token of B, A would have served for up to 9 more
 *    minutes.
 * 3. Five seconds later, a forged token with an unknown `kid` gets 401 without a fetch: the cooldown is not over.
 *
 * @param fetchKeys returns the issuer's present keys within `timeoutMs`, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  let pendingFetch: Promise<typeof keys> | undefined;
  /** What requests wait for; may take several fetches. */
  let required: Promise<typeof keys> | undefined;
  /** When the last fetch began, whatever its outcome. */
  let attemptedAt = NEVER;
  let failures = NO_FAILURES;

  const since = (moment: ClockReading) => elapsed(moment, clock());
  const fresh = () => since(keys.fetchedAt) < limits.cacheMaxAge;
  const cooldownLeftMs = () => limits.cooldownDuration - since(attemptedAt);
  const coolingDown = () => cooldownLeftMs() > 0;
  /** 0 or less without a pause. */
  const pauseLeftMs = () =>
    Math.min(
      limits.firstPause * 2 ** (failures.count - 1) - since(failures.failedAt),
      cooldownLeftMs(),
    );

  async function fetchNow(timeoutMs: number) {
    // The age counts from here, because the issuer may remove a key during the fetch.
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

  /** Newer keys than the cached ones. All waiting requests share one fetch, and another after a freeze during it. */
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
    // Join a refresh under way; if it fails, the loop below decides.
    const fetched = await pendingFetch?.catch((cause) => {
      failures = { ...failures, cause };
    });
    if (fetched !== undefined) return fetched;
    // A failure starts a pause, which ends the loop, unless Lambda froze the process until the cooldown was over.
    while (pauseLeftMs() <= 0 && !(fresh() && coolingDown())) {
      try {
        return await reload();
      } catch (cause) {
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    // Fresh keys that did not verify the token may be fetched again after the cooldown, old ones after the pause.
    const waitMs = fresh() ? cooldownLeftMs() : pauseLeftMs();
    const { cause } = failures;
    // A fetch throws a problem only if a retry does not help.
    const reason = cause instanceof Problem ? 'wrongDiscovery' : 'issuer';
    throw unavailable(reason, cause, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  async function currentKeys() {
    if (!fresh()) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !coolingDown()) {
      // If the refresh fails, a later request fetches again.
      void Promise.allSettled([reload()]);
    }
    return keys;
  }

  /**
   * Runs `verify`, and once more with newer keys if no key matches or the signature is invalid: issuers reuse a `kid` or
   * list none.
   * @throws Problem `unavailable` if no cached key matches and the keys cannot be fetched; otherwise the error of
   *   `verify`.
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
      // If the fetch fails and no cached key matched, a newer one might verify the token: 503, because clients discard
      // a token after 401. If one did match, the token is probably forged: 401.
      const rejectWith = (failure: unknown) => Promise.reject(noKeyMatches ? failure : error);
      if (pendingFetch !== undefined || !coolingDown()) await requireKeys().catch(rejectWith);
      if (keys === used) throw error;
      return verify(keys.find);
    }
  }

  /** During init. If it fails, the first request fetches. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([reload(limits.prefetchTimeout)]);
  }

  return { verifyWithIssuerKeys, prefetch };
}
