import http from 'node:http';
import https from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { type Responder, type SigningKey, signingKey, TestIssuer } from '../../support/issuer.ts';

/** Time limit for fetches that must not reach one: longer than a test's timeout. */
const PATIENT_MS = 1_000_000;
const LIMIT_MS = 1000;
/** An RSA modulus of 1200 bits: too short, because the service requires at least 2048. */
const ZEROS = 'A'.repeat(200);
const DISCOVERY = '/.well-known/openid-configuration';

/** Largest issuer response that the service reads. */
const LIMIT_BYTES = 262_144;
/** The coordinate 0 in base64url: the point (0, 0) is not on P-256. */
const OFF_CURVE = 'A'.repeat(43);

type Responses = Readonly<Record<string, Responder>>;

const status =
  (code: number): Responder =>
  (response, url, text) =>
    response.writeHead(code, { location: url }).end(text);
const body =
  (content: string): Responder =>
  (response) =>
    response.end(content);
const withMembers =
  (members: (document: Record<string, unknown>) => object): Responder =>
  (response, _, text) => {
    const document = JSON.parse(text);
    response.end(JSON.stringify({ ...document, ...members(document) }));
  };

const garbage = [
  ...[null, 7, 'key', [], {}, { kty: 'constructor' }, { __proto__: null, kty: '__proto__' }],
  { kty: 'EC', crv: 'P-256', x: OFF_CURVE, y: OFF_CURVE },
];

/** Error -> issuer behaviour -> response that causes it, in place of the discovery document or of the keys. */
const failures: Readonly<Record<string, Responses>> = {
  'socket hang up': { 'drops the connection': (response) => response.destroy() },
  'The issuer returned': {
    'returns 500 with the right document': status(500),
    'redirects to itself': status(302),
  },
  'has more than 262144 bytes': {
    'sends a byte too much, in pieces': (response, _, text) => {
      response.write(text.padEnd(LIMIT_BYTES));
      response.end(' ');
    },
  },
  JSON: {
    'responds in gzip': (response, _, text) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    'sends garbage': body('<html><body>Welcome to the network of this hotel.</body></html>'),
    'sends nothing': body(''),
  },
  'not a JSON object': { 'sends null': body('null'), 'sends a list': body('[{}]') },
};

/** From RFC 8037, appendix A.2. */
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

/** Like `failures`, but in place of the discovery document only. */
const misleading: typeof failures = {
  'another issuer: https://other.example.com. Correct': {
    'names another issuer': withMembers(() => ({ issuer: 'https://other.example.com' })),
  },
  'another issuer: https://login.microsoftonline.com/{tenantid}/v2.0. Correct': {
    'names a template': withMembers(() => ({
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    })),
  },
  'another issuer: an address that is not plain https. Correct': {
    'names the issuer with a slash': withMembers(({ issuer }) => ({ issuer: `${issuer}/` })),
    'names no issuer': withMembers(() => ({ issuer: undefined })),
    'names an issuer with a query': withMembers(() => ({ issuer: 'https://example.com/?ana' })),
    'names an issuer with a user': withMembers(() => ({ issuer: 'https://ana@example.com' })),
    'names an endless issuer': withMembers(() => ({ issuer: `https://${'x'.repeat(249)}` })),
  },
  'has no jwks_uri': {
    'names a list of addresses': withMembers(({ jwks_uri: uri }) => ({ jwks_uri: [uri] })),
  },
  'file:': { 'names a file': withMembers(() => ({ jwks_uri: 'file:///etc/hosts' })) },
};

const { kty, n, e } = (await signingKey('RS256')).jwk;

/** Like `failures`, but in place of the keys only: responses without a usable key. */
const keyless: typeof failures = {
  'no usable key for RS256': {
    'has a key of another algorithm': withMembers(() => ({
      keys: [...garbage, { kty, n, e, alg: 'RS512' }],
    })),
    'has a key that only encrypts': withMembers(() => ({ keys: [{ kty, n, e, use: 'enc' }] })),
    'has a key of another kind': withMembers(() => ({ keys: [ED25519] })),
  },
  'No key is listed.': {
    'sends no keys': body('{"__proto__":{"keys":[]}}'),
    'has keys that are not a list': body('{"keys":{"length":1,"0":{}}}'),
    'lists garbage': withMembers(() => ({ keys: garbage })),
  },
};

const hanging: Responses = {
  'never responds': () => undefined,
  'sends its headers and no more': (response) => response.writeHead(200).flushHeaders(),
};

const unusual: Responses = {
  'responds in pieces': (response, _, text) => {
    response.write(text.slice(0, 20), () => response.end(text.slice(20)));
  },
  'sends a response of the maximum size': (response, _, text) =>
    response.end(text.padEnd(LIMIT_BYTES)),
  'begins with a byte order mark': (response, _, text) => response.end(`\ufeff${text}`),
  'lists garbage beside its keys': withMembers(({ keys }) => ({
    keys: [...garbage, keys, garbage].flat(),
  })),
};

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
