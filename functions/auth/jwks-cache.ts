import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { issuerUnavailable } from '../contract/problem.ts';
import { type Clock, elapsed, type Moment } from '../runtime/moment.ts';

/** The limits of a JWKS cache, in milliseconds. The first and the third have the names of jose. */
const limits = {
  /** How long keys are used, and so a key is accepted that the issuer has removed. */
  cacheMaxAge: 600_000,
  /** The age from which keys are fetched again while they are used. */
  refreshAge: 480_000,
  /** How often keys are fetched for tokens with unknown keys, and again after a refresh that failed. */
  cooldownDuration: 10_000,
  /** The pause after a fetch that failed. It doubles with each further failure, to the maximum. */
  firstPause: 250,
  maxPause: 10_000,
  /** For a fetch: ahead of the first request, so that the start stays short, and later. */
  prefetchTimeout: 1000,
  timeout: 3000,
  /** A fetch that takes so long was frozen together with the process: no invocation takes so long. */
  frozen: 10_000,
};

const NEVER: Moment = { date: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

/** The fetches in a row that requests waited for and that failed, and when and why the last one did. */
interface Failures {
  count: number;
  failedAt: Moment;
  cause?: unknown;
}
const NO_FAILURES: Failures = { count: 0, failedAt: NEVER };

/**
 * Caches an issuer's keys. They are fetched again before they are too old, while requests use those at
 * hand, and if a token names a key that is not among them. There is one fetch at a time. A fetch that was
 * frozen together with the process says nothing of the issuer now: the request that waits for it tries
 * again. Ages and pauses count by both clocks, because they span requests.
 * @param fetchKeys gives the issuer's current keys within `timeoutMs` milliseconds, or throws.
 */
export function jwksCache(fetchKeys: (timeoutMs: number) => Promise<JSONWebKeySet>, clock: Clock) {
  let keys = { find: createLocalJWKSet({ keys: [] }), fetchedAt: NEVER };
  /** The fetch that is under way, and what requests wait for. */
  let pending: Promise<typeof keys> | undefined;
  let required: Promise<typeof keys> | undefined;
  let failures = NO_FAILURES;
  /** When a refresh began, and when the keys were last fetched for an unknown key. */
  let refreshedAt = NEVER;
  let unknownAt = NEVER;

  const since = (moment: Moment) => elapsed(moment, clock());
  const isCooling = (moment: Moment) => since(moment) < limits.cooldownDuration;
  /** What is left of the pause after the last failure; 0 or less after a success. */
  const pauseLeftMs = () =>
    Math.min(limits.maxPause, limits.firstPause * 2 ** (failures.count - 1)) -
    since(failures.failedAt);

  async function fetchNow(timeoutMs: number) {
    // The age of keys counts from the request, because the issuer may remove one right after it.
    const fetchedAt = clock();
    const find = createLocalJWKSet(await fetchKeys(timeoutMs));
    failures = NO_FAILURES;
    keys = { find, fetchedAt };
    return keys;
  }

  /** Joins the fetch that is under way, or begins one. */
  function fetchOnce(timeoutMs = limits.timeout) {
    pending ??= fetchNow(timeoutMs).finally(() => {
      pending = undefined;
    });
    return pending;
  }

  /**
   * Keys for requests that cannot do without newer ones; all that come at once wait together. What a fetch
   * gives that was frozen is not used, because the issuer may have replaced its keys meanwhile.
   */
  async function requireKeys() {
    for (;;) {
      required ??= fetchForRequests().finally(() => {
        required = undefined;
      });
      const fetched = await required;
      if (since(fetched.fetchedAt) < limits.frozen) return fetched;
    }
  }

  async function fetchForRequests() {
    // The fetch in the background, if there is one. If it fails, it is the requests' turn.
    const fetched = await pending?.catch(() => undefined);
    if (fetched !== undefined) return fetched;
    while (pauseLeftMs() <= 0) {
      const begunAt = clock();
      try {
        return await fetchOnce();
      } catch (cause) {
        if (since(begunAt) >= limits.frozen) continue;
        failures = { count: failures.count + 1, failedAt: clock(), cause };
      }
    }
    throw issuerUnavailable(Math.max(1, Math.ceil(pauseLeftMs() / 1000)), failures.cause);
  }

  /** The keys that a request uses. If they get old, they are fetched again in the background. */
  async function currentKeys() {
    if (since(keys.fetchedAt) >= limits.cacheMaxAge) return requireKeys();
    if (since(keys.fetchedAt) >= limits.refreshAge && !isCooling(refreshedAt)) {
      refreshedAt = clock();
      // A failure needs no report: the next refresh tries again, or the request that needs new keys.
      void Promise.allSettled([fetchOnce()]);
    }
    return keys;
  }

  /** The keys for a token whose key was not among them: fetched again, unless they just were. */
  async function newerKeys() {
    if (required === undefined) {
      if (isCooling(keys.fetchedAt) || isCooling(unknownAt)) return keys;
      unknownAt = clock();
    }
    return requireKeys();
  }

  /**
   * Finds a token's key for `jwtVerify`.
   * @throws Problem `unavailable` if the keys cannot be fetched, JOSE errors if no key matches.
   */
  const find: JWTVerifyGetKey = async (header, token) => {
    const known = await currentKeys();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      return (await newerKeys()).find(header, token);
    }
  };

  /** Fetches the keys ahead of the first token. After a failure, the first request tries again. */
  async function prefetch(): Promise<void> {
    await Promise.allSettled([fetchOnce(limits.prefetchTimeout)]);
  }

  return { find, prefetch };
}
