import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
      undefined,
      () => now,
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
    now = 10 * MINUTE - 1;
    await outcome();
    expect(issuer.fetches).toBe(1);
    now = 10 * MINUTE;
    await outcomes();
    expect(issuer.fetches).toBe(2);
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

  it('are without a key that is damaged, which a later fetch may mend', async () => {
    issuer.published.push({ ...other.jwk, x: issuer.key.jwk.y });
    await outcome();
    now = MINUTE;
    expect(await outcome(other)).toBe('invalid_token');
    expect(await outcome()).toBe('accepted');
    expect(issuer.fetches).toBe(2);
  });

  it('are asked for once in ten seconds while the issuer is down', async () => {
    issuer.behaviour = 'down';
    expect(new Set(await outcomes())).toEqual(new Set(['unavailable']));
    expect(issuer.fetches).toBe(1);
    issuer.behaviour = 'up';
    now = 10 * SECOND - 1;
    expect(await outcome()).toBe('unavailable');
    expect(issuer.fetches).toBe(1);
    now = 10 * SECOND;
    expect(await outcome()).toBe('accepted');
    expect(issuer.fetches).toBe(2);
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
    expect(new Set(await outcomes(other))).toEqual(new Set(['unavailable']));
    expect(issuer.fetches).toBe(2);
    now = MINUTE + 10 * SECOND - 1;
    expect(await outcome(other)).toBe('unavailable');
    expect(issuer.fetches).toBe(2);
  });

  it('are not trusted after ten minutes, though the issuer is down', async () => {
    await outcome();
    issuer.behaviour = 'down';
    now = 10 * MINUTE;
    expect(await outcome()).toBe('unavailable');
    issuer.behaviour = 'up';
    now += 10 * SECOND;
    expect(await outcome()).toBe('accepted');
  });

  it('tell the client when to come back, and the log why', async () => {
    issuer.behaviour = 'error';
    await expect(verify(await issuer.mint())).rejects.toMatchObject({
      code: 'unavailable',
      message: problemTypes.unavailable.detail.issuer,
      options: { retryAfter: 10, cause: { message: 'The issuer answered 500.' } },
    });
  });
});
