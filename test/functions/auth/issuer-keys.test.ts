import http from 'node:http';
import https from 'node:https';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { type Behaviour, type SigningKey, signingKey, TestIssuer } from '../../support/issuer.ts';

/** How long a busy machine may take to fetch keys, in milliseconds. */
const PATIENT_MS = 30_000;
/** A coordinate; of no point of the curve whose other one it is. */
const OFF = 'A'.repeat(43);

describe('the keys of an issuer', () => {
  let issuer: TestIssuer;
  let rsa: SigningKey;
  beforeAll(async () => {
    [issuer, rsa] = await Promise.all([TestIssuer.start(), signingKey('RS256')]);
  });
  beforeEach(() => {
    issuer.behaviour = 'up';
    issuer.requests = [];
    issuer.published = [issuer.key.jwk, rsa.jwk];
    issuer.discovery = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
  });
  afterAll(() => issuer.stop());
  /** A good key of the curve, under another name. */
  const ec = () => ({ ...issuer.key.jwk, kid: 'other' });
  const fetched = async (timeoutMs = PATIENT_MS) =>
    (await fetchIssuerKeys(issuer.url, undefined, timeoutMs)).keys;

  it('are found by its discovery document', async () => {
    expect(await fetched()).toHaveLength(2);
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('are found for an issuer whose name ends with a slash', async () => {
    issuer.discovery.issuer = `${issuer.url}/`;
    expect((await fetchIssuerKeys(`${issuer.url}/`, undefined, PATIENT_MS)).keys).toHaveLength(2);
    expect(issuer.requests[0]).toBe('/.well-known/openid-configuration');
  });

  it('of an https issuer are fetched by https alone', async () => {
    // In place of a server with a certificate: the same answers, without it.
    const named = 'https://issuer.example.com';
    const get = vi
      .spyOn(https, 'get')
      .mockImplementation(((address: string, ...rest: []) =>
        http.get(address.replace(named, issuer.url), ...rest)) as typeof https.get);
    const discovered = (jwks_uri: string) => {
      issuer.discovery = { issuer: named, jwks_uri };
      return fetchIssuerKeys(named, undefined, PATIENT_MS);
    };
    for (const address of [`${issuer.url}/jwks`, 'keys', 'ftp://issuer.example.com/jwks']) {
      issuer.requests = [];
      await expect(discovered(address)).rejects.toThrow('must be https');
      expect(issuer.requests).toEqual(['/.well-known/openid-configuration']);
    }
    expect((await discovered(`${named}/jwks`)).keys).toHaveLength(2);
    expect(get).toHaveBeenCalledTimes(5);
    get.mockRestore();
  });

  it('are fetched from the address that the deployment names, without discovery', async () => {
    const address = `${issuer.url.replace('http:', 'HTTP:')}/jwks`;
    await fetchIssuerKeys('https://issuer.example.com', address, PATIENT_MS);
    expect(issuer.requests).toEqual(['/jwks']);
  });

  it('are taken with their public members alone', async () => {
    issuer.published = [
      { ...rsa.jwk, d: 'private', x5c: ['certificate'] },
      { ...issuer.key.jwk, d: 'private', key_ops: ['verify'] },
    ];
    const [ofRsa, ofEc] = await fetched();
    expect(ofRsa).toEqual({ kty: 'RSA', n: rsa.jwk.n, e: 'AQAB', kid: rsa.kid, alg: 'RS256' });
    const { x, y, kid } = issuer.key.jwk;
    expect(ofEc).toEqual({ kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256' });
  });

  it('may have the members of another kind, which are left out', async () => {
    issuer.published = [{ ...rsa.jwk, kty: 'EC', ...issuer.key.jwk }];
    const { x, y, kid } = issuer.key.jwk;
    expect(await fetched()).toEqual([{ kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256' }]);
  });

  it('may go without a name, an algorithm and a use', async () => {
    const { kty, n, e } = rsa.jwk;
    issuer.published = [{ kty, n, e, kid: 7 }];
    expect(await fetched()).toEqual([{ kty, n, e }]);
  });

  it.each<[string, (key: SigningKey['jwk']) => unknown]>([
    ['encrypts', (key) => ({ ...key, use: 'enc' })],
    ['may only encrypt', (key) => ({ ...key, use: undefined, key_ops: ['encrypt'] })],
    ['has operations of no list', (key) => ({ ...key, key_ops: 'verify' })],
    ['is a point off the curve', () => ({ kty: 'EC', crv: 'P-256', x: OFF, y: OFF })],
    ['is an RSA key of 2040 bits', () => ({ kty: 'RSA', e: 'AQAB', n: 'x'.repeat(340) })],
    ['is an RSA key whose length is zeros', () => ({ kty: 'RSA', e: 'AQAB', n: 'A'.repeat(342) })],
    ['is of another algorithm', (key) => ({ ...key, alg: 'RS512' })],
    ['has the algorithm null', (key) => ({ ...key, alg: null })],
    ['has the algorithms of a list', (key) => ({ ...key, alg: ['RS256'] })],
    ['has the exponent 1', (key) => ({ ...key, e: 'AQ' })],
    ['has the exponent 0', (key) => ({ ...key, e: 'AA' })],
    ['has the exponent 2', (key) => ({ ...key, e: 'Ag' })],
    ['has the exponent 65536', (key) => ({ ...key, e: 'AQAA' })],
    ['has the exponent 1 after zeros', (key) => ({ ...key, e: 'AAAB' })],
    ['has an empty exponent', (key) => ({ ...key, e: '' })],
    ['is an RSA key of garbage', () => ({ kty: 'RSA', e: 'AQAB', n: '!'.repeat(342) })],
    ['is an RSA key without a modulus', () => ({ kty: 'RSA', e: 'AQAB' })],
    ['is an RSA key without an exponent', ({ n }) => ({ kty: 'RSA', n })],
    ['is an RSA key whose modulus is a list', (key) => ({ ...key, n: [key.n] })],
    ['is an RSA key whose exponent is a list', (key) => ({ ...key, e: [key.e] })],
    ['is on another curve', () => ({ kty: 'EC', crv: 'P-384', x: 'x', y: 'y' })],
    ['is on the curve of a list', () => ({ ...ec(), crv: ['P-256'] })],
    ['is a point without x', () => ({ kty: 'EC', crv: 'P-256', y: 'y' })],
    ['is a point whose x is a list', () => ({ ...ec(), x: [ec().x] })],
    ['is a point whose y is a list', () => ({ ...ec(), y: [ec().y] })],
    ['is a point without y', () => ({ kty: 'EC', crv: 'P-256', x: 'x' })],
    ['is a secret', () => ({ kty: 'oct', k: 'c2VjcmV0' })],
    ['is of Ed25519', () => ({ kty: 'OKP', crv: 'Ed25519', x: 'x' })],
    ['is null', () => null],
    ['is a string', () => 'key'],
    ['is a list', (key) => [key]],
  ])('leave out one that %s', async (_, unfit) => {
    issuer.published = [unfit(rsa.jwk), issuer.key.jwk];
    const keys = await fetched();
    expect(keys.map(({ kid }) => kid)).toEqual([issuer.key.kid]);
  });

  it.each(['Aw', 'AAAD', 'AQAB'])('may have the exponent %s', async (e) => {
    issuer.published = [{ ...rsa.jwk, e }];
    expect(await fetched()).toHaveLength(1);
  });

  it.each<[Behaviour, string]>([
    ['down', 'socket hang up'],
    ['error', 'The issuer answered 500.'],
    ['garbage', 'is not valid JSON'],
    ['list', 'The issuer did not answer with an object.'],
    ['text', 'The issuer did not answer with an object.'],
    ['null', 'The issuer did not answer with an object.'],
    ['redirect', 'The issuer answered 302.'],
    ['huge', 'has more than 262144 bytes'],
  ])('cannot be had if what the issuer gives is %s', async (behaviour, message) => {
    issuer.behaviour = behaviour;
    await expect(fetched()).rejects.toThrow(message);
    await expect(fetchIssuerKeys(issuer.url, `${issuer.url}/jwks`, PATIENT_MS)).rejects.toThrow(
      message,
    );
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('may come in an answer of 262144 bytes', async () => {
    issuer.behaviour = 'large';
    expect(await fetched()).toHaveLength(2);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['names another issuer', { issuer: 'https://other.example.com' }, 'names another issuer'],
    ['names no issuer', { issuer: undefined }, 'names another issuer'],
    ['names no address of keys', { jwks_uri: undefined }, 'has no jwks_uri'],
    ['names a list of addresses', { jwks_uri: ['/jwks'] }, 'has no jwks_uri'],
  ])('cannot be had if the discovery document %s', async (_, members, message) => {
    Object.assign(issuer.discovery, members);
    await expect(fetched()).rejects.toThrow(message);
  });

  it.each<[string, unknown[]]>([
    ['no key', []],
    ['no key that signs', [{ kty: 'oct', k: 'c2VjcmV0' }]],
    ['keys of another algorithm alone', [{ kty: 'RSA', alg: 'RS512' }]],
  ])('cannot be had if the issuer lists %s', async (_, published) => {
    issuer.published = published.map((key) => ({ n: rsa.jwk.n, e: rsa.jwk.e, ...Object(key) }));
    await expect(fetched()).rejects.toThrow('The issuer lists no key for RS256 or ES256.');
  });

  it('cannot be had if they are not in a list', async () => {
    const discovery = `${issuer.url}/.well-known/openid-configuration`;
    await expect(fetchIssuerKeys(issuer.url, discovery, PATIENT_MS)).rejects.toThrow(
      'lists no key',
    );
  });

  describe('within the time limit', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it.each<[Behaviour]>([['slow'], ['dripping']])(
      'are given up after a second if the issuer is %s',
      async (behaviour) => {
        issuer.behaviour = behaviour;
        let failure: unknown;
        const fetching = fetchIssuerKeys(issuer.url, undefined, 1000).catch((error) => {
          failure = error;
        });
        await waitForRequest();
        await vi.advanceTimersByTimeAsync(999);
        expect(failure).toBeUndefined();
        await vi.advanceTimersByTimeAsync(1);
        await fetching;
        expect(failure).toMatchObject({ name: 'TimeoutError' });
        expect(vi.getTimerCount()).toBe(0);
      },
    );

    /** Without a timer of vitest's, which would be a fake one. */
    async function waitForRequest(): Promise<void> {
      while (issuer.requests.length === 0) await new Promise(setImmediate);
    }
  });

  it('are fetched although the event loop was blocked for longer than the time limit', async () => {
    const fetching = fetchIssuerKeys(issuer.url, undefined, 1000);
    const end = performance.now() + 1300;
    while (performance.now() < end);
    expect((await fetching).keys).toHaveLength(2);
  });
});
