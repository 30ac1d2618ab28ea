import { setImmediate } from 'node:timers/promises';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { JOSEError } from 'jose/errors';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import { Problem, unavailable } from '../../../functions/contract/problem.ts';
import { type SigningKey, signingKey } from '../../support/issuer.ts';
import { signedBy } from './tokens/token.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const AT_ONCE = 20;

// Properties of random histories are in jwks-cache-histories.test.ts.
describe('the cached keys of an issuer', async () => {
  const [own, other] = await Promise.all([signingKey(), signingKey()]);

  let now: number;
  let published: Pick<SigningKey, 'jwk'>[];
  let isDown: boolean;
  /** The promise for which each fetch waits. Without a gate, a fetch ends at once. */
  let gate: Promise<unknown> | undefined;
  /** The time limit of each fetch that has begun. */
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

  const verify = (key = own, kid: string | undefined = key.kid) =>
    keys.withKeys(signedBy(key, kid));

  /** Verifies a token signed with a key. Returns `accepted`, `rejected`, or the code of the problem. */
  async function outcome(key?: SigningKey, kid?: string): Promise<string> {
    try {
      await verify(key, kid);
      return 'accepted';
    } catch (error) {
      if (error instanceof Problem) return error.code;
      if (error instanceof JOSEError) return 'rejected';
      throw error;
    }
  }
  /** Verifies many tokens at the same time, and returns each different outcome once. */
  const outcomes = async (key?: SigningKey, kid?: string) => [
    ...new Set(await Promise.all(Array.from({ length: AT_ONCE }, () => outcome(key, kid)))),
  ];
  /** Starts a refresh of keys that are eight minutes old. Returns a function that lets the refresh end. */
  async function refreshing(): Promise<() => void> {
    await outcome();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    now = 8 * MINUTE;
    expect(await outcomes()).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
    return resolve;
  }

  it('are refreshed once after eight minutes, while requests use the cached keys', async () => {
    await outcome();
    now = 8 * MINUTE - 1;
    await outcome();
    expect(fetches).toHaveLength(1);
    const refreshed = await refreshing();
    now += 10 * SECOND - 1;
    expect(await outcomes()).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
    published = [own, other];
    // Many tokens wait for the refresh. The refresh ends while one more token is being verified.
    const waiting = outcomes(other);
    const inTime = (findKey: JWTVerifyGetKey) =>
      signedBy(other, other.kid)(findKey).finally(() => setImmediate(refreshed()));
    await keys.withKeys(inTime);
    expect(await waiting).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
    // The age of the keys counts from the beginning of the fetch.
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

  it('are not fetched at once for an unknown key if a refresh has just failed', async () => {
    const refreshed = await refreshing();
    isDown = true;
    const failure = verify(other).catch((error) => error);
    await setImmediate();
    now += 3 * SECOND;
    refreshed();
    expect(await failure).toMatchObject({ cause: { message: 'down' } });
    expect(fetches).toHaveLength(2);
  });

  it('are fetched by the first request, with a longer time limit, if the prefetch failed', async () => {
    isDown = true;
    await keys.prefetch();
    isDown = false;
    expect(await outcome()).toBe('accepted');
    expect(fetches).toEqual([1000, 3000]);
  });

  it.each([
    ['that is unknown', (key: SigningKey) => key.kid, 'unavailable'],
    // Anyone can send such tokens. A 503 would let strangers trigger the alarms.
    ['with the kid of another key', () => 'reused', 'rejected'],
    ['without a kid', () => '', 'rejected'],
  ])('are fetched again for a key %s, at most every ten seconds', async (_, kidOf, ifDown) => {
    const listed = (key: SigningKey) => ({ jwk: { ...key.jwk, kid: kidOf(key) } });
    const outcomesOf = (key: SigningKey) => outcomes(key, kidOf(key));
    published = [listed(own)];
    expect(await outcomesOf(own)).toEqual(['accepted']);
    now = 10 * SECOND - 1;
    expect(await outcomesOf(other)).toEqual(['rejected']);
    expect(fetches).toHaveLength(1);
    now += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    isDown = true;
    const waiting = outcomesOf(other);
    const failure = verify(other, kidOf(other)).catch((error) => error);
    // Valid tokens do not wait for the fetch.
    expect(await outcomesOf(own)).toEqual(['accepted']);
    now += 3 * SECOND;
    resolve();
    expect(await waiting).toEqual([ifDown]);
    const told = { options: { headers: { 'Retry-After': '7' } } };
    expect(await failure).toMatchObject(ifDown === 'unavailable' ? told : {});
    isDown = false;
    now = 20 * SECOND - 1;
    // The token is verified once and does not get 503, which would let strangers trigger the alarms.
    const attempt = vi.fn(signedBy(other, kidOf(other)));
    await expect(keys.withKeys(attempt)).rejects.toBeInstanceOf(JOSEError);
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(fetches).toHaveLength(2);
    now += 1;
    expect(await outcomesOf(other)).toEqual(['rejected']);
    expect(fetches).toHaveLength(3);
    published = [listed(other)];
    now += 10 * SECOND;
    expect(await outcomesOf(other)).toEqual(['accepted']);
    expect(await outcomesOf(own)).toEqual(['rejected']);
    expect(fetches).toHaveLength(4);
  });

  it('are not fetched again for a token without a kid that one of the cached keys has signed', async () => {
    published = [own, other];
    await outcome();
    now = MINUTE;
    expect(await outcome(other, '')).toBe('accepted');
    expect(fetches).toHaveLength(1);
  });

  it('are fetched again after a pause that grows to ten seconds, and Retry-After is the pause', async () => {
    isDown = true;
    /** Expects the problem `unavailable` with this `Retry-After`, the rest of the pause in whole seconds. */
    async function expectUnavailable(retryAfter: number) {
      const error = await verify().catch((problem) => problem);
      expect(error).toMatchObject({ code: 'unavailable', cause: { message: 'down' } });
      expect(error.detail).toBe(unavailable('issuer').detail);
      expect(error.options.headers['Retry-After']).toBe(String(retryAfter));
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
    // The longest pause counts from the beginning of the fetch.
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const waiting = expectUnavailable(7);
    await setImmediate();
    now += 3 * SECOND;
    resolve();
    await waiting;
    now += 500;
    await expectUnavailable(7);
    now += 6500;
    isDown = false;
    expect(await outcome()).toBe('accepted');
    // After a success, the next pause is short again.
    isDown = true;
    now += 10 * MINUTE;
    expect(await outcome()).toBe('unavailable');
    isDown = false;
    now += 250;
    expect(await outcome()).toBe('accepted');
  });

  it('give a Retry-After of at least one second, even if the pause has ended meanwhile', async () => {
    const everLater = () => {
      now += SECOND;
      return { date: now, monotonic: now };
    };
    keys = jwksCache(() => Promise.reject(new Error('down')), everLater);
    await expect(verify()).rejects.toMatchObject({ options: { headers: { 'Retry-After': '1' } } });
  });
});
