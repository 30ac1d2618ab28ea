import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors';
import { unavailable } from '../contract/problem.ts';
import { type Clock, elapsed, type Moment } from '../runtime/moment.ts';

/** The limits of the JWKS cache, in milliseconds. Those that jose has too have its names. */
const limits = {
  /** How long keys are used, and so how long a key is accepted that the issuer has removed. */
  cacheMaxAge: 600_000,
  /** The age from which keys are fetched again while they are used. */
  refreshAge: 480_000,
  /**
   * The shortest time between the starts of two fetches that a rejected token or a refresh causes. A fetch
   * that takes longer was frozen with the process.
   */
  cooldownDuration: 10_000,
  /** The pause after a failed fetch. It doubles with each further failure, and ends with the cooldown. */
  firstPause: 250,
  /** For a fetch: ahead of the first request, so that the start stays short, and later. */
  prefetchTimeout: 1000,
  timeoutDuration: 3000,
};

const NEVER: Moment = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** The negative cache: how many fetches in a row have failed for requests, and when and why the last one did. */
interface Failures {
  count: number;
  failedAt: Moment;
  cause?: unknown;
}
const NO_FAILURES: Failures = { count: 0, failedAt: NEVER };

/**
 * Caches an issuer's keys. They are fetched again before they are too old, while requests use the cached
 * ones, and if these do not verify a token. There is one fetch at a time. A fetch that was frozen together
 * with the process says nothing about the issuer now: the request that waits for it tries again. Ages and
 * pauses count by both clocks, because they span requests.
 * @param fetchKeys returns the issuer's current keys within `timeoutMs` milliseconds, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  /** The fetch that is under way. */
  let pendingFetch: Promise<typeof keys> | undefined;
  /** The keys that requests wait for, which may take several fetches. */
  let required: Promise<typeof keys> | undefined;
  /** When the last fetch began, whether it succeeded or not. */
  let attemptedAt = NEVER;
  let failures = NO_FAILURES;

  const since = (moment: Moment) => elapsed(moment, clock());
  const fresh = () => since(keys.fetchedAt) < limits.cacheMaxAge;
  const cooldownLeftMs = () => limits.cooldownDuration - since(attemptedAt);
  const coolingDown = () => cooldownLeftMs() > 0;
  /** What is left of the pause after the last failure; 0 or less after a success. */
  const pauseLeftMs = () =>
    Math.min(
      limits.firstPause * 2 ** (failures.count - 1) - since(failures.failedAt),
      cooldownLeftMs(),
    );

  async function fetchNow(timeoutMs: number) {
    // The age of keys counts from the request, because the issuer may remove one right after it.
    attemptedAt = clock();
    const find = createLocalJWKSet(await fetchKeys(timeoutMs));
    failures = NO_FAILURES;
    keys = { find, fetchedAt: attemptedAt };
    return keys;
  }

  /** Fetches the keys, or joins the fetch that is under way. */
  function reload(timeoutMs = limits.timeoutDuration) {
    pendingFetch ??= fetchNow(timeoutMs).finally(() => {
      pendingFetch = undefined;
    });
    return pendingFetch;
  }

  /**
   * Keys for requests that cannot do without newer ones; all that come at once wait together. The keys of a
   * frozen fetch are not used, because the issuer may have replaced its keys meanwhile.
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
    // The fetch in the background, if there is one. If it fails and no key is fresh, another follows.
    const fetched = await pendingFetch?.catch((cause) => {
      failures = { ...failures, cause };
    });
    if (fetched !== undefined) return fetched;
    // After a fetch that was frozen there is no pause.
    while (pauseLeftMs() <= 0 && !(fresh() && coolingDown())) {
      try {
        return await reload();
      } catch (cause) {
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    // With fresh keys, the token was rejected by them: it causes no other fetch before the cooldown is over.
    const waitMs = fresh() ? cooldownLeftMs() : pauseLeftMs();
    throw unavailable('issuer', failures.cause, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /** The keys that a request uses. If they get old, they are fetched again in the background. */
  async function currentKeys() {
    if (!fresh()) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !coolingDown()) {
      // A failure needs no report: the next refresh tries again, or the request that needs new keys.
      void Promise.allSettled([reload()]);
    }
    return keys;
  }

  /**
   * Runs `verify` with the current keys. If no key matches or the signature does not, the issuer may have
   * replaced its keys, even under the same `kid` or without any: runs it once more if there are newer ones.
   * @throws Problem `unavailable` if the keys cannot be fetched and none matches; otherwise what `verify` throws.
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
      // Anyone can send an invalid signature: a 503 for it would let them trigger an alarm.
      const rejectWith = (failure: unknown) => Promise.reject(noKeyMatches ? failure : error);
      if (pendingFetch !== undefined || !coolingDown()) await requireKeys().catch(rejectWith);
      if (keys === used) throw error;
      return verify(keys.find);
    }
  }

  /** Fetches the keys ahead of the first token. After a failure, the first request tries again. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([reload(limits.prefetchTimeout)]);
  }

  return { withKeys, prefetch };
}
