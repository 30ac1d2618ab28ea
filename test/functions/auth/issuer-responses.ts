import { gzipSync } from 'node:zlib';
import { type Responder, signingKey } from '../../support/issuer.ts';

/** Longest response of an issuer that the service reads. */
const LIMIT_BYTES = 262_144;
/** The coordinate 0 in base64url: the point (0, 0) is not on P-256. */
export const OFF_CURVE = 'A'.repeat(43);

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

/** Responses in place of either the discovery document or the keys. The outer key is the error that they cause. */
export const failures: Readonly<Record<string, Responses>> = {
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
export const misleading: typeof failures = {
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

/** Like `failures`, but only for the request for the keys: responses without usable ones. */
export const keyless: typeof failures = {
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

export const hanging: Responses = {
  'never responds': () => undefined,
  'sends its headers and no more': (response) => response.writeHead(200).flushHeaders(),
};

export const unusual: Responses = {
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
