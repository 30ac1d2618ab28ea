import { setImmediate } from 'node:timers/promises';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { JOSEError } from 'jose/errors';
import { describe, expect, it, vi } from 'vitest';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import { Problem, unavailable } from '../../../functions/contract/problem.ts';
import { type SigningKey, signingKey } from '../../support/issuer.ts';
import { signedBy } from './tokens/token.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const AT_ONCE = 20;

const [own, other] = await Promise.all([signingKey(), signingKey()]);

class ControlledCache {
  now = 0;
  published: Pick<SigningKey, 'jwk'>[] = [own];
  isDown = false;
  /** If set, fetches wait for this promise. */
  gate: Promise<unknown> | undefined;
  /** Time limits of the fetches so far. */
  readonly fetches: number[] = [];
  readonly keys = jwksCache(
    async (timeoutMs): Promise<JSONWebKeySet> => {
      this.fetches.push(timeoutMs);
      await this.gate;
      if (this.isDown) throw new Error('down');
      return { keys: this.published.map(({ jwk }) => jwk) };
    },
    () => ({ date: this.now, monotonic: this.now }),
  );

  verify(key = own, kid: string | undefined = key.kid) {
    return this.keys.verifyWithIssuerKeys(signedBy(key, kid));
  }

  async outcome(key?: SigningKey, kid?: string): Promise<string> {
    try {
      await this.verify(key, kid);
      return 'accepted';
    } catch (error) {
      if (error instanceof Problem) return error.code;
      if (error instanceof JOSEError) return 'rejected';
      throw error;
    }
  }

  async outcomes(key?: SigningKey, kid?: string): Promise<string[]> {
    const all = Array.from({ length: AT_ONCE }, () => this.outcome(key, kid));
    return [...new Set(await Promise.all(all))];
  }

  /** Starts a refresh of keys that are eight minutes old. The refresh ends when the returned function is called. */
  async refreshing(): Promise<() => void> {
    await this.outcome();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = promise;
    this.now = 8 * MINUTE;
    expect(await this.outcomes()).toEqual(['accepted']);
    expect(this.fetches).toHaveLength(2);
    return resolve;
  }
}

describe('the cached keys of an issuer', () => {
  it('are refreshed once after eight minutes, while requests use the cached keys', async () => {
    const cache = new ControlledCache();
    await cache.outcome();
    cache.now = 8 * MINUTE - 1;
    await cache.outcome();
    expect(cache.fetches).toHaveLength(1);
    const refreshed = await cache.refreshing();
    cache.now += 10 * SECOND - 1;
    expect(await cache.outcomes()).toEqual(['accepted']);
    expect(cache.fetches).toHaveLength(2);
    cache.published = [own, other];
    // Many tokens wait for the refresh, which ends while one more is being verified.
    const waiting = cache.outcomes(other);
    const inTime = (findKey: JWTVerifyGetKey) =>
      signedBy(other, other.kid)(findKey).finally(() => setImmediate(refreshed()));
    await cache.keys.verifyWithIssuerKeys(inTime);
    expect(await waiting).toEqual(['accepted']);
    expect(cache.fetches).toHaveLength(2);
    // A key's age counts from the start of its fetch.
    cache.isDown = true;
    cache.now = 18 * MINUTE - 1;
    expect(await cache.outcome(other)).toBe('accepted');
    await setImmediate();
    cache.now += 1;
    expect(await cache.outcome(other)).toBe('unavailable');
  });

  it('are not fetched at once if a refresh has just failed, but ten seconds after its start', async () => {
    const cache = new ControlledCache();
    const refreshed = await cache.refreshing();
    cache.isDown = true;
    const failure = cache.verify(other).catch((error) => error);
    await setImmediate();
    cache.now += 3 * SECOND;
    refreshed();
    expect(await failure).toMatchObject({ cause: { message: 'down' } });
    cache.now += 7 * SECOND - 1;
    expect(await cache.outcome()).toBe('accepted');
    expect(cache.fetches).toHaveLength(2);
    cache.now += 1;
    expect(await cache.outcome()).toBe('accepted');
    expect(cache.fetches).toHaveLength(3);
  });

  it('are fetched by the first request, with a longer time limit, if the prefetch failed', async () => {
    const cache = new ControlledCache();
    cache.isDown = true;
    await cache.keys.prefetch();
    cache.isDown = false;
    expect(await cache.outcome()).toBe('accepted');
    expect(cache.fetches).toEqual([SECOND, 3 * SECOND]);
  });

  it.each([
    ['that is unknown', (key: SigningKey) => key.kid, 'unavailable'],
    // Anyone can forge tokens as in the next two rows. If they got 503, strangers could trigger the alarms.
    ['with the kid of another key', () => 'reused', 'rejected'],
    ['without a kid', () => '', 'rejected'],
  ])('are fetched again for a key %s, at most every ten seconds', async (_, kidOf, ifDown) => {
    const cache = new ControlledCache();
    const listed = (key: SigningKey) => ({ jwk: { ...key.jwk, kid: kidOf(key) } });
    const outcomesOf = (key: SigningKey) => cache.outcomes(key, kidOf(key));
    cache.published = [listed(own)];
    expect(await outcomesOf(own)).toEqual(['accepted']);
    cache.now = 10 * SECOND - 1;
    expect(await outcomesOf(other)).toEqual(['rejected']);
    expect(cache.fetches).toHaveLength(1);
    cache.now += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    cache.gate = promise;
    cache.isDown = true;
    const waiting = outcomesOf(other);
    const failure = cache.verify(other, kidOf(other)).catch((error) => error);
    expect(await outcomesOf(own)).toEqual(['accepted']);
    cache.now += 3 * SECOND;
    resolve();
    expect(await waiting).toEqual([ifDown]);
    const told = { options: { headers: { 'Retry-After': '7' } } };
    expect(await failure).toMatchObject(ifDown === 'unavailable' ? told : {});
    cache.isDown = false;
    cache.now = 20 * SECOND - 1;
    // Less than ten seconds after the last fetch: rejected without a second verification, and not with 503.
    const attempt = vi.fn(signedBy(other, kidOf(other)));
    await expect(cache.keys.verifyWithIssuerKeys(attempt)).rejects.toBeInstanceOf(JOSEError);
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(cache.fetches).toHaveLength(2);
  });

  it('are fetched again after a pause that grows to ten seconds, and Retry-After is the pause', async () => {
    const cache = new ControlledCache();
    cache.isDown = true;
    /** `retryAfter` is the rest of the pause before the next fetch, in whole seconds. */
    async function expectUnavailable(retryAfter: number) {
      const error = await cache.verify().catch((problem) => problem);
      expect(error).toMatchObject({ code: 'unavailable', cause: { message: 'down' } });
      expect(error.detail).toBe(unavailable('issuer').detail);
      expect(error.options.headers['Retry-After']).toBe(String(retryAfter));
    }
    const pauses = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000];
    for (const [at, pause] of pauses.entries()) {
      expect(await cache.outcomes()).toEqual(['unavailable']);
      await expectUnavailable(Math.max(1, pause / SECOND));
      cache.now += pause - 1;
      await expectUnavailable(1);
      expect(cache.fetches).toHaveLength(at + 1);
      cache.now += 1;
    }
    cache.isDown = false;
    expect(await cache.outcome()).toBe('accepted');
    cache.isDown = true;
    cache.now += 10 * MINUTE;
    expect(await cache.outcome()).toBe('unavailable');
    cache.isDown = false;
    cache.now += 250;
    expect(await cache.outcome()).toBe('accepted');
  });

  it('give a Retry-After of at least one second, even if the pause has ended meanwhile', async () => {
    let now = 0;
    const everLater = () => {
      now += SECOND;
      return { date: now, monotonic: now };
    };
    const keys = jwksCache(() => Promise.reject(new Error('down')), everLater);
    await expect(keys.verifyWithIssuerKeys(signedBy(own, own.kid))).rejects.toMatchObject({
      options: { headers: { 'Retry-After': '1' } },
    });
  });
});
