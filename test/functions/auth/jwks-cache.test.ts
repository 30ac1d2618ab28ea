import type { JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyAccessToken } from '../../../functions/auth/access-token.ts';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import { Problem, problemTypes } from '../../../functions/contract/problem.ts';
import { AUDIENCE, type SigningKey, signingKey, TestIssuer } from '../../support/issuer.ts';

/** How long a busy machine may take to fetch keys. */
const PATIENT_MS = 30_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('the cached keys of an issuer', () => {
  let issuer: TestIssuer;
  let other: SigningKey;
  let now: number;
  let keys: ReturnType<typeof jwksCache>;
  beforeAll(async () => {
    [issuer, other] = await Promise.all([TestIssuer.start(), signingKey()]);
  });
  beforeEach(() => {
    issuer.behaviour = 'up';
    issuer.published = [issuer.key.jwk];
    issuer.requests = [];
    now = 0;
    keys = jwksCache(
      () => fetchIssuerKeys(issuer.url, `${issuer.url}/jwks`, PATIENT_MS),
      () => ({ date: now, monotonic: now }),
    );
  });
  afterAll(() => issuer.stop());

  const verify = (token: string) =>
    verifyAccessToken(token, keys.find, { issuer: issuer.url, audiences: [AUDIENCE] });

  /** What comes of a token signed by this key: `accepted`, or the code of the problem. */
  async function outcome(key = issuer.key): Promise<string> {
    try {
      await verify(await issuer.mint({}, {}, key));
      return 'accepted';
    } catch (error) {
      if (error instanceof Problem) return error.code;
      throw error;
    }
  }
  const outcomes = (key?: SigningKey) =>
    Promise.all(Array.from({ length: 20 }, () => outcome(key)));

  it('are fetched once for many requests at once', async () => {
    expect(new Set(await outcomes())).toEqual(new Set(['accepted']));
    expect(issuer.fetches).toBe(1);
  });

  it('are used for ten minutes and not a millisecond longer', async () => {
    await outcome();
    issuer.behaviour = 'down';
    now = 10 * MINUTE - 1;
    expect(await outcome()).toBe('accepted');
    now = 10 * MINUTE;
    expect(await outcome()).toBe('unavailable');
  });

  it('are fetched again after eight minutes, once, while requests use those at hand', async () => {
    await outcome();
    now = 8 * MINUTE - 1;
    await outcome();
    expect(issuer.fetches).toBe(1);
    now = 8 * MINUTE;
    issuer.behaviour = 'slow';
    expect(new Set(await outcomes())).toEqual(new Set(['accepted']));
    await vi.waitFor(() => expect(issuer.fetches).toBe(2), PATIENT_MS);
    expect(await outcome()).toBe('accepted');
    expect(issuer.fetches).toBe(2);
  });

  it('are not old any more after that', async () => {
    await outcome();
    now = 9 * MINUTE;
    await outcome();
    await vi.waitFor(() => expect(issuer.fetches).toBe(2), PATIENT_MS);
    await keys.prefetch();
    issuer.behaviour = 'down';
    now = 16 * MINUTE;
    expect(await outcome()).toBe('accepted');
  });

  it('refuse a key that the issuer has removed, after ten minutes at most', async () => {
    issuer.published.push(other.jwk);
    expect(await outcome(other)).toBe('accepted');
    issuer.published = [issuer.key.jwk];
    now = 10 * MINUTE - 1;
    expect(await outcome(other)).toBe('accepted');
    now = 10 * MINUTE;
    expect(await outcome(other)).toBe('invalid_token');
    expect(await outcome()).toBe('accepted');
  });

  it('accept a key that the issuer has added, without a restart', async () => {
    await outcome();
    issuer.published.push(other.jwk);
    now = 10 * SECOND;
    expect(await outcome(other)).toBe('accepted');
    expect(issuer.fetches).toBe(2);
  });

  it('accept all keys after a rotation, and the old ones no longer', async () => {
    await outcome();
    issuer.published = [other.jwk];
    now = MINUTE;
    expect(await outcome(other)).toBe('accepted');
    expect(await outcome()).toBe('invalid_token');
  });

  it('are those of the prefetch, for a request that comes before it has ended', async () => {
    const response = Promise.withResolvers<JSONWebKeySet>();
    const fetchKeys = vi.fn(() => response.promise);
    keys = jwksCache(fetchKeys, () => ({ date: now, monotonic: now }));
    const prefetch = keys.prefetch();
    const verified = verify(await issuer.mint());
    await new Promise(setImmediate);
    response.resolve({ keys: [issuer.key.jwk] });
    await Promise.all([prefetch, verified]);
    expect(fetchKeys).toHaveBeenCalledTimes(1);
  });

  it('are those of a refresh that ends meanwhile, for a token whose key the old ones lack', async () => {
    const published = [issuer.key.jwk];
    let fetches = 0;
    keys = jwksCache(
      async () => {
        fetches += 1;
        return { keys: published };
      },
      () => ({ date: now, monotonic: now }),
    );
    await outcome();
    published.push(other.jwk);
    now = 8 * MINUTE;
    expect(await outcome(other)).toBe('accepted');
    expect(fetches).toBe(2);
  });

  it('are not fetched again for unknown keys in the first ten seconds', async () => {
    await outcome();
    now = 10 * SECOND - 1;
    expect(new Set(await outcomes(other))).toEqual(new Set(['invalid_token']));
    expect(issuer.fetches).toBe(1);
  });

  it('are fetched again for unknown keys once in ten seconds', async () => {
    await outcome();
    now = 10 * SECOND;
    expect(new Set(await outcomes(other))).toEqual(new Set(['invalid_token']));
    expect(issuer.fetches).toBe(2);
    now = 20 * SECOND - 1;
    await outcomes(other);
    expect(issuer.fetches).toBe(2);
    now = 20 * SECOND;
    await outcome(other);
    expect(issuer.fetches).toBe(3);
  });

  it('are not fetched again for a token that names none of them', async () => {
    issuer.published.push(other.jwk);
    await outcome();
    now = MINUTE;
    await verify(await issuer.mint({}, { kid: undefined }));
    expect(issuer.fetches).toBe(1);
  });

  it('are not fetched for a token that cannot be good', async () => {
    await expect(verify('a.b.c')).rejects.toMatchObject({ code: 'invalid_token' });
    expect(issuer.fetches).toBe(0);
  });

  it('are without a key that is damaged, which a later fetch may replace', async () => {
    issuer.published.push({ ...other.jwk, x: issuer.key.jwk.y });
    await outcome();
    now = MINUTE;
    expect(await outcome(other)).toBe('invalid_token');
    expect(await outcome()).toBe('accepted');
    expect(issuer.fetches).toBe(2);
  });

  it('are asked for again after a pause that grows from 250 ms to ten seconds', async () => {
    issuer.behaviour = 'down';
    for (const [at, pause] of [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000].entries()) {
      expect(new Set(await outcomes())).toEqual(new Set(['unavailable']));
      expect(issuer.fetches).toBe(at + 1);
      now += pause - 1;
      expect(await outcome()).toBe('unavailable');
      expect(issuer.fetches).toBe(at + 1);
      now += 1;
    }
    issuer.behaviour = 'up';
    expect(await outcome()).toBe('accepted');
    // After a success the pause begins short again.
    issuer.behaviour = 'down';
    now += 10 * MINUTE;
    expect(await outcome()).toBe('unavailable');
    issuer.behaviour = 'up';
    now += 250;
    expect(await outcome()).toBe('accepted');
  });

  it('are asked for by the first request if the prefetch has failed', async () => {
    issuer.behaviour = 'down';
    await keys.prefetch();
    issuer.behaviour = 'up';
    expect(await outcome()).toBe('accepted');
  });

  it('stay good for their ten minutes while the issuer is down', async () => {
    await outcome();
    issuer.behaviour = 'down';
    now = 9 * MINUTE;
    expect(await outcome(other)).toBe('unavailable');
    expect(await outcome()).toBe('accepted');
  });

  it('are not asked for by unknown keys more than once in ten seconds of an outage', async () => {
    await outcome();
    issuer.behaviour = 'down';
    now = MINUTE;
    // A token that comes when the fetch has failed does not wait for another one.
    expect(['unavailable', 'invalid_token']).toEqual(
      expect.arrayContaining([...new Set(await outcomes(other))]),
    );
    expect(issuer.fetches).toBe(2);
    now = MINUTE + 10 * SECOND - 1;
    // Not 503, with which a stranger could sound the alarms.
    expect(await outcome(other)).toBe('invalid_token');
    expect(issuer.fetches).toBe(2);
    now = MINUTE + 10 * SECOND;
    expect(await outcome(other)).toBe('unavailable');
    expect(issuer.fetches).toBe(3);
    expect(await outcome()).toBe('accepted');
  });

  it('are not trusted after ten minutes, though the issuer is down', async () => {
    await outcome();
    issuer.behaviour = 'down';
    now = 10 * MINUTE;
    expect(await outcome()).toBe('unavailable');
    issuer.behaviour = 'up';
    now += 250;
    expect(await outcome()).toBe('accepted');
  });

  it('tell the client when to come back, and the log why', async () => {
    issuer.behaviour = 'error';
    await expect(verify(await issuer.mint())).rejects.toMatchObject({
      code: 'unavailable',
      message: problemTypes.unavailable.detail.issuer,
      options: { retryAfter: 1, cause: { message: 'The issuer answered 500.' } },
    });
  });

  it('tell the client how long the pause still is, in whole seconds', async () => {
    issuer.behaviour = 'down';
    const token = await issuer.mint();
    const retryAfter = () => verify(token).catch(({ options }) => options.retryAfter);
    const told = [];
    for (const pause of [250, 500, 1000, 2000, 4000]) {
      told.push(await retryAfter());
      now += pause;
    }
    expect(told).toEqual([1, 1, 1, 2, 4]);
    expect(await retryAfter()).toBe(8);
    now += 2500;
    expect(await retryAfter()).toBe(6);
  });

  describe('by fetches that a test ends', () => {
    /** The fetches that have begun. */
    let fetches: PromiseWithResolvers<JSONWebKeySet>[];
    const good = () => ({ keys: [issuer.key.jwk] });
    beforeEach(() => {
      fetches = [];
      keys = jwksCache(
        () => {
          const fetch = Promise.withResolvers<JSONWebKeySet>();
          fetches.push(fetch);
          return fetch.promise;
        },
        () => ({ date: now, monotonic: now }),
      );
    });
    const begun = (count: number) =>
      vi.waitFor(() => expect(fetches).toHaveLength(count), PATIENT_MS);

    /** Keys of eight minutes that are being refreshed. */
    async function refreshing(): Promise<void> {
      const first = outcome();
      await begun(1);
      fetches[0]?.resolve(good());
      await first;
      now = 8 * MINUTE;
      expect(await outcome()).toBe('accepted');
      await begun(2);
    }

    it('are fetched by the request that thaws a refresh which was frozen', async () => {
      await refreshing();
      now = 30 * MINUTE;
      const thawing = outcomes();
      fetches[1]?.reject(new Error('The connection is dead.'));
      await begun(3);
      fetches[2]?.resolve(good());
      expect(new Set(await thawing)).toEqual(new Set(['accepted']));
      expect(fetches).toHaveLength(3);
    });

    it('are not what the issuer listed before the process was frozen', async () => {
      await refreshing();
      now = 30 * MINUTE;
      const thawing = outcome();
      fetches[1]?.resolve(good());
      await begun(3);
      fetches[2]?.resolve({ keys: [other.jwk] });
      expect(await thawing).toBe('invalid_token');
    });

    it('are fetched again for an unknown key if a refresh was frozen for ten seconds', async () => {
      await refreshing();
      const token = await issuer.mint({}, {}, other);
      now += 10 * SECOND;
      const verified = verify(token);
      await new Promise(setImmediate);
      fetches[1]?.resolve(good());
      await begun(3);
      fetches[2]?.resolve({ keys: [other.jwk] });
      await verified;
    });

    it('are refreshed again ten seconds after a refresh that failed', async () => {
      await refreshing();
      fetches[1]?.reject(new Error('down'));
      now += 10 * SECOND - 1;
      expect(await outcome()).toBe('accepted');
      expect(fetches).toHaveLength(2);
      now += 1;
      expect(await outcome()).toBe('accepted');
      await begun(3);
    });

    it('have the age of the request that fetched them', async () => {
      const first = outcome();
      await begun(1);
      now = MINUTE;
      fetches[0]?.resolve(good());
      await first;
      now = 8 * MINUTE;
      await outcome();
      await begun(2);
    });

    it('are fetched once at a time, for unknown keys too', async () => {
      await refreshing();
      const tokens = await Promise.all(
        Array.from({ length: 20 }, () => issuer.mint({}, {}, other)),
      );
      const verified = Promise.allSettled(tokens.map(verify));
      // By now, all of them wait for the fetch.
      await new Promise(setImmediate);
      expect(fetches).toHaveLength(2);
      fetches[1]?.resolve({ keys: [issuer.key.jwk, other.jwk] });
      expect(new Set((await verified).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
      expect(fetches).toHaveLength(2);
    });
  });

  it.each([
    ['the wall clock', Date, 11],
    ['the wall clock', Date, -11],
    ['the monotonic clock', performance, 11],
  ])('are too old if %s alone says so', async (_, clock, minutes) => {
    keys = jwksCache(() => fetchIssuerKeys(issuer.url, `${issuer.url}/jwks`, PATIENT_MS));
    await keys.prefetch();
    issuer.behaviour = 'down';
    const time = vi.spyOn(clock, 'now').mockReturnValue(clock.now() + minutes * MINUTE);
    expect(await outcome().finally(() => time.mockRestore())).toBe('unavailable');
  });

  it('are waited for longer by a request than by the start of a function', async () => {
    const limits: number[] = [];
    keys = jwksCache(
      async (timeoutMs) => {
        limits.push(timeoutMs);
        throw new Error('down');
      },
      () => ({ date: now, monotonic: now }),
    );
    await keys.prefetch();
    await outcome();
    expect(limits).toEqual([1000, 3000]);
  });
});
