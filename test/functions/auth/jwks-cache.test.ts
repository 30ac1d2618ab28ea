import { setImmediate } from 'node:timers/promises';
import type { JSONWebKeySet } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import { issuerUnavailable, Problem } from '../../../functions/contract/problem.ts';
import { type SigningKey, signingKey } from '../../support/issuer.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const AT_ONCE = 20;

/** What histories of many moments show together is in jwks-cache-histories.test.ts. */
describe('the cached keys of an issuer', () => {
  let own: SigningKey;
  let other: SigningKey;
  beforeAll(async () => {
    [own, other] = await Promise.all([signingKey(), signingKey()]);
  });

  let now: number;
  let published: SigningKey[];
  let isDown: boolean;
  /** Without it, a fetch ends at once. */
  let gate: Promise<unknown> | undefined;
  /** The time limits of the fetches that have begun. */
  let fetches: number[];
  let keys: ReturnType<typeof jwksCache>;
  beforeEach(() => {
    now = 0;
    published = [own];
    isDown = false;
    gate = undefined;
    fetches = [];
    keys = jwksCache(
      async (timeoutMs): Promise<JSONWebKeySet> => {
        fetches.push(timeoutMs);
        await gate;
        if (isDown) throw new Error('down');
        return { keys: published.map(({ jwk }) => jwk) };
      },
      () => ({ date: now, monotonic: now }),
    );
  });

  const find = async (key = own, kid: string | undefined = key.kid) =>
    keys.find({ alg: key.alg, ...(kid && { kid }) }, { payload: '', signature: '' });

  /** What comes of a token of this key: `accepted`, or the code of the problem. */
  async function outcome(key?: SigningKey, kid?: string): Promise<string> {
    try {
      await find(key, kid);
      return 'accepted';
    } catch (error) {
      if (error instanceof JWKSNoMatchingKey) return 'unknown';
      if (error instanceof Problem) return error.code;
      throw error;
    }
  }
  /** The same of many at once, each different outcome once. */
  const outcomes = async (key?: SigningKey) => [
    ...new Set(await Promise.all(Array.from({ length: AT_ONCE }, () => outcome(key)))),
  ];
  /** Keys of eight minutes, whose refresh is under way until the function that it returns is called. */
  async function refreshing(): Promise<() => void> {
    await outcome();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    now = 8 * MINUTE;
    expect(await outcomes()).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
    return resolve;
  }

  it('are fetched again after eight minutes, once, while requests use those at hand', async () => {
    await outcome();
    now = 8 * MINUTE - 1;
    await outcome();
    expect(fetches).toHaveLength(1);
    const refreshed = await refreshing();
    now += 10 * SECOND;
    expect(await outcomes()).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
    published = [own, other];
    refreshed();
    await setImmediate();
    // They have the age of the request for them.
    isDown = true;
    now = 18 * MINUTE - 1;
    expect(await outcome(other)).toBe('accepted');
    await setImmediate();
    now += 1;
    expect(await outcome(other)).toBe('unavailable');
  });

  it('are refreshed again ten seconds after a refresh that failed', async () => {
    const refreshed = await refreshing();
    isDown = true;
    refreshed();
    await setImmediate();
    now += 10 * SECOND - 1;
    expect(await outcome()).toBe('accepted');
    expect(fetches).toHaveLength(2);
    now += 1;
    expect(await outcome()).toBe('accepted');
    expect(fetches).toHaveLength(3);
  });

  it('are asked for by the first request if the prefetch has failed, and for longer', async () => {
    isDown = true;
    await keys.prefetch();
    isDown = false;
    expect(await outcome()).toBe('accepted');
    expect(fetches).toEqual([1000, 3000]);
  });

  it('are fetched again for an unknown key, at most every ten seconds', async () => {
    await outcome();
    now = 10 * SECOND - 1;
    expect(await outcomes(other)).toEqual(['unknown']);
    expect(fetches).toHaveLength(1);
    now += 1;
    expect(await outcomes(other)).toEqual(['unknown']);
    expect(fetches).toHaveLength(2);
    isDown = true;
    now += 10 * SECOND;
    expect(await outcome(other)).toBe('unavailable');
    isDown = false;
    published = [other];
    now += 10 * SECOND - 1;
    // Not 503, with which a stranger could set off the alarms.
    expect(await outcome(other)).toBe('unknown');
    expect(fetches).toHaveLength(3);
    now += 1;
    expect(await outcomes(other)).toEqual(['accepted']);
    expect(await outcome()).toBe('unknown');
    expect(fetches).toHaveLength(4);
  });

  it('are not fetched again for a token that names none of them', async () => {
    published = [own, other];
    await outcome();
    now = MINUTE;
    await expect(find(own, '')).rejects.toMatchObject({ code: 'ERR_JWKS_MULTIPLE_MATCHING_KEYS' });
    expect(fetches).toHaveLength(1);
  });

  it('are asked for again after a pause that grows to ten seconds, as the client is told', async () => {
    isDown = true;
    /** Expects the problem, which tells the client how long the pause still is, in whole seconds. */
    async function expectUnavailable(retryAfter: number) {
      const error = await find().catch((problem) => problem);
      expect(error).toMatchObject({ code: 'unavailable', cause: { message: 'down' } });
      expect(error.detail).toBe(issuerUnavailable(1, undefined).detail);
      expect(error.headers['Retry-After']).toBe(String(retryAfter));
    }
    const pauses = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000];
    for (const [at, pause] of pauses.entries()) {
      expect(await outcomes()).toEqual(['unavailable']);
      await expectUnavailable(Math.max(1, pause / SECOND));
      now += pause - 1;
      await expectUnavailable(1);
      expect(fetches).toHaveLength(at + 1);
      now += 1;
    }
    await expectUnavailable(10);
    now += 3500;
    await expectUnavailable(7);
    now += 6500;
    isDown = false;
    expect(await outcome()).toBe('accepted');
    // After a success the pause begins short again.
    isDown = true;
    now += 10 * MINUTE;
    expect(await outcome()).toBe('unavailable');
    isDown = false;
    now += 250;
    expect(await outcome()).toBe('accepted');
  });

  it('tell the client to wait for a second at least, though the pause ends meanwhile', async () => {
    const everLater = () => {
      now += SECOND;
      return { date: now, monotonic: now };
    };
    keys = jwksCache(() => Promise.reject(new Error('down')), everLater);
    await expect(find()).rejects.toMatchObject({ headers: { 'Retry-After': '1' } });
  });

  it.each([
    ['ten seconds', 10 * SECOND, 'accepted', 2],
    ['less', 10 * SECOND - 1, 'unavailable', 1],
  ])('are asked for again at once if a fetch fails after %s', async (_, ms, expected, count) => {
    const { promise, reject } = Promise.withResolvers<void>();
    gate = promise;
    const waiting = outcomes();
    await setImmediate();
    now += ms;
    gate = undefined;
    reject(new Error('The connection is dead.'));
    expect(await waiting).toEqual([expected]);
    expect(fetches).toHaveLength(count);
  });
});
