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

/** What histories of many moments show together is in jwks-cache-histories.test.ts. */
describe('the cached keys of an issuer', async () => {
  const [own, other] = await Promise.all([signingKey(), signingKey()]);

  let now: number;
  let published: Pick<SigningKey, 'jwk'>[];
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

  const verify = (key = own, kid: string | undefined = key.kid) =>
    keys.withKeys(signedBy(key, kid));

  /** What comes of a token by this key: `accepted`, `rejected`, or the code of the problem. */
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
  /** The same of many at once, each different outcome once. */
  const outcomes = async (key?: SigningKey, kid?: string) => [
    ...new Set(await Promise.all(Array.from({ length: AT_ONCE }, () => outcome(key, kid)))),
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
    now += 10 * SECOND - 1;
    expect(await outcomes()).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
    published = [own, other];
    // Tokens that wait for it, and one for which it ends in time.
    const waiting = outcomes(other);
    const inTime = (findKey: JWTVerifyGetKey) =>
      signedBy(other, other.kid)(findKey).finally(() => setImmediate(refreshed()));
    await keys.withKeys(inTime);
    expect(await waiting).toEqual(['accepted']);
    expect(fetches).toHaveLength(2);
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

  it('are not fetched at once after a refresh that failed for a key that they do not hold', async () => {
    const refreshed = await refreshing();
    isDown = true;
    const failure = verify(other).catch((error) => error);
    await setImmediate();
    now += 3 * SECOND;
    refreshed();
    expect(await failure).toMatchObject({ cause: { message: 'down' } });
    expect(fetches).toHaveLength(2);
  });

  it('are asked for by the first request if the prefetch has failed, and for longer', async () => {
    isDown = true;
    await keys.prefetch();
    isDown = false;
    expect(await outcome()).toBe('accepted');
    expect(fetches).toEqual([1000, 3000]);
  });

  it.each([
    ['that they do not hold', (key: SigningKey) => key.kid, 'unavailable'],
    // Anyone can send these: a 503 would let strangers set off the alarms.
    ['under the kid of another', () => 'reused', 'rejected'],
    ['that has no kid', () => '', 'rejected'],
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
    // Good tokens do not wait.
    expect(await outcomesOf(own)).toEqual(['accepted']);
    now += 3 * SECOND;
    resolve();
    expect(await waiting).toEqual([ifDown]);
    const told = { options: { headers: { 'Retry-After': '7' } } };
    expect(await failure).toMatchObject(ifDown === 'unavailable' ? told : {});
    isDown = false;
    now = 20 * SECOND - 1;
    // Not 503, with which a stranger could set off the alarms, and with no second verification.
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

  it('are not fetched again for a token that any of them may have signed, and one has', async () => {
    published = [own, other];
    await outcome();
    now = MINUTE;
    expect(await outcome(other, '')).toBe('accepted');
    expect(fetches).toHaveLength(1);
  });

  it('are asked for again after a pause that grows to ten seconds, as the client is told', async () => {
    isDown = true;
    /** Expects the problem, which tells the client how long the pause still is, in whole seconds. */
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
    // It counts from the beginning of a fetch that takes long.
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
    await expect(verify()).rejects.toMatchObject({ options: { headers: { 'Retry-After': '1' } } });
  });
});
