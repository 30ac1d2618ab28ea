import http from 'node:http';
import https from 'node:https';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { type SigningKey, signingKey, TestIssuer } from '../../support/issuer.ts';
import { failures, hanging, keyless, misleading, OFF_CURVE, unusual } from './issuer-responses.ts';

/** Time limit of a fetch. Longer than the timeout of a test, so no fetch reaches it. */
const PATIENT_MS = 1_000_000;
const LIMIT_MS = 1000;
/** An RSA modulus of 1200 bits. The service accepts only 2048 bits and more. */
const ZEROS = 'A'.repeat(200);
const DISCOVERY = '/.well-known/openid-configuration';

const rowsOf = (table: typeof failures, ...documents: readonly ('discovery' | 'keys')[]) =>
  Object.entries(table).flatMap(([error, responses]) =>
    Object.entries(responses).flatMap(([name, respond]) =>
      documents.map((document) => ({ name, respond, error, document })),
    ),
  );

describe('the keys of an issuer', async () => {
  const [issuer, rsa] = await Promise.all([TestIssuer.start(), signingKey('RS256')]);
  beforeEach(() => {
    issuer.behaviour = 'up';
    issuer.requests = [];
    issuer.published = [issuer.key.jwk, rsa.jwk];
    issuer.discovery = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
  });
  afterAll(() => issuer.stop());
  const fetched = async (timeoutMs = PATIENT_MS) =>
    (await fetchIssuerKeys(issuer.url, undefined, timeoutMs)).keys;

  it('are found with its discovery document, whether or not the issuer ends in a slash', async () => {
    expect(await fetched()).toHaveLength(2);
    issuer.discovery.issuer = `${issuer.url}/`;
    expect((await fetchIssuerKeys(`${issuer.url}/`, undefined, PATIENT_MS)).keys).toHaveLength(2);
    expect(issuer.requests).toEqual([DISCOVERY, '/jwks', DISCOVERY, '/jwks']);
  });

  it('of an https issuer are fetched only with https', async () => {
    // An http server stands in for the https server, which would need a certificate.
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
      await expect(discovered(address)).rejects.toThrow('must be https');
    }
    expect(issuer.requests).toEqual([DISCOVERY, DISCOVERY, DISCOVERY]);
    expect((await discovered(`${named}/jwks`)).keys).toHaveLength(2);
    expect(get).toHaveBeenCalledTimes(5);
    get.mockRestore();
  });

  it('are fetched without discovery if the deployment sets their address', async () => {
    const address = `${issuer.url.replace('http:', 'HTTP:')}/jwks`;
    await fetchIssuerKeys('https://issuer.example.com', address, PATIENT_MS);
    expect(issuer.requests).toEqual(['/jwks']);
  });

  it('have only the public members of their type', async () => {
    issuer.published = [
      { ...rsa.jwk, d: 'private', x5c: ['certificate'] },
      { ...rsa.jwk, ...issuer.key.jwk, d: 'private', key_ops: ['verify'] },
    ];
    const { x, y, kid } = issuer.key.jwk;
    expect(await fetched()).toEqual([
      { kty: 'RSA', n: rsa.jwk.n, e: 'AQAB', kid: rsa.kid, alg: 'RS256' },
      { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256' },
    ]);
  });

  it('may lack kid, alg and use, and may have the exponent 3', async () => {
    const { kty, n } = rsa.jwk;
    issuer.published = [{ kty, n, e: 'Aw', kid: 7 }];
    expect(await fetched()).toEqual([{ kty, n, e: 'Aw', alg: 'RS256' }]);
  });

  it.each<readonly [string, (rsa: SigningKey['jwk'], ec: SigningKey['jwk']) => unknown]>([
    ['has the use enc', (key) => ({ ...key, use: 'enc' })],
    ['may only encrypt', (key) => ({ ...key, use: undefined, key_ops: ['encrypt'] })],
    ['has operations that are not a list', (key) => ({ ...key, key_ops: 'verify' })],
    ['is a point off the curve', (_, key) => ({ ...key, x: OFF_CURVE })],
    ['is a short RSA key after zeros', (key) => ({ ...key, n: key.n?.replace(/^.{200}/, ZEROS) })],
    ['is an RSA key of 2040 bits', (key) => ({ ...key, n: 'x'.repeat(340), alg: undefined })],
    ['is an RSA key of garbage', (key) => ({ ...key, n: '!'.repeat(342) })],
    ['has another algorithm', (key) => ({ ...key, alg: 'RS512' })],
    ['has a list of algorithms', (key) => ({ ...key, alg: ['RS256'] })],
    ...['', 'AA', 'AQ', 'Ag', 'AAAB', 'BA', 'AQAA'].map(
      (e) => [`has the exponent '${e}'`, (key: object) => ({ ...key, e })] as const,
    ),
    ['has a list for a modulus', (key) => ({ ...key, n: [key.n] })],
    ['is on another curve', (_, key) => ({ ...key, crv: 'P-384' })],
    ['is a secret', () => ({ kty: 'oct', k: 'c2VjcmV0' })],
    ['is in a list', (key) => [key]],
  ])('leave out one that %s', async (_, unfit) => {
    issuer.published = [unfit(rsa.jwk, { ...issuer.key.jwk, kid: 'other' }), issuer.key.jwk];
    expect((await fetched()).map(({ kid }) => kid)).toEqual([issuer.key.kid]);
  });

  it.each([
    ...rowsOf(failures, 'discovery', 'keys'),
    ...rowsOf(misleading, 'discovery'),
    ...rowsOf(keyless, 'keys'),
  ])('cannot be had from an issuer that $name in place of $document', async (row) => {
    issuer.behaviour = (response, url, text) => {
      const asked = url.startsWith(DISCOVERY) ? 'discovery' : 'keys';
      if (asked === row.document) row.respond(response, url, text);
      else response.end(text);
    };
    await expect(fetched()).rejects.toThrow(row.error);
    // The issuer got no request for any other address, so no redirect was followed.
    expect(issuer.requests).toEqual([DISCOVERY, '/jwks'].slice(0, row.document === 'keys' ? 2 : 1));
  });

  it.each(Object.entries(unusual))('are accepted from an issuer that %s', async (_, respond) => {
    issuer.behaviour = respond;
    expect(await fetched()).toHaveLength(2);
  });

  it('are requested as uncompressed JSON, over a connection that is not kept', async () => {
    issuer.behaviour = (response, _, text) => {
      const { accept, connection, 'accept-encoding': encoding } = response.req.headers;
      const asked = [accept, encoding, connection].join();
      response.end(asked === 'application/json,identity,close' ? text : '<html>');
    };
    expect(await fetched()).toHaveLength(2);
  });

  it('close the connection as soon as they are rejected, even if the response goes on', async () => {
    const closed = new Promise((resolve) => {
      issuer.behaviour = (response) => {
        response.socket?.once('close', () => resolve('closed'));
        response.writeHead(500);
        response.write('<html>');
      };
    });
    await expect(fetched()).rejects.toThrow('returned 500');
    // The fetch closed the connection when it failed, not at the end of its time limit, `PATIENT_MS`.
    expect(await closed).toBe('closed');
  });

  describe('within the time limit', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it.each(Object.entries(hanging))(
      'are given up after the time limit if the issuer %s',
      async (_, respond) => {
        issuer.behaviour = respond;
        let failure: unknown;
        const fetching = fetched(LIMIT_MS).catch((error) => {
          failure = error;
        });
        // Not `vi.waitFor`: it would advance the fake timers.
        while (issuer.requests.length === 0) await new Promise(setImmediate);
        await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
        expect(failure).toBeUndefined();
        await vi.advanceTimersByTimeAsync(1);
        await fetching;
        expect(failure).toMatchObject({ name: 'TimeoutError' });
        expect(vi.getTimerCount()).toBe(0);
      },
    );
  });
});
