import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Answerer } from '../../support/issuer.ts';

/** The most that the service reads. */
const LIMIT_BYTES = 262_144;
/** A coordinate; of no point of the curve whose other one it is. */
export const OFF_CURVE = 'A'.repeat(43);

type Answers = Readonly<Record<string, Answerer>>;

const status =
  (code: number, headers: Record<string, string> = {}): Answerer =>
  (response, _, text) =>
    response.writeHead(code, headers).end(text);
const body =
  (content: string | Uint8Array): Answerer =>
  (response) =>
    response.end(content);
const withMembers =
  (members: (document: Record<string, unknown>) => object): Answerer =>
  (response, _, text) => {
    const document = JSON.parse(text);
    response.end(JSON.stringify({ ...document, ...members(document) }));
  };
const withKeys = (...keys: unknown[]) => withMembers(() => ({ keys }));

/** Goes on every `ms` until the service hangs up. */
function repeat(response: ServerResponse, ms: number, act: () => void): void {
  const timer = setInterval(act, ms);
  response.once('close', () => clearInterval(timer));
}

/** What a key set may hold that is no key. */
const garbage = [
  ...[null, 7, 'key', [], {}, { kty: 'constructor' }, { __proto__: null, kty: '__proto__' }],
  { kty: 'EC', crv: 'P-256', kid: {}, x: [], y: 7 },
  { kty: 'EC', crv: 'P-256', x: OFF_CURVE, y: OFF_CURVE },
  { kty: 'RSA', n: '!'.repeat(400), e: 'AQAB' },
  { kty: 'oct', k: 'AAAA' },
];

/** By the error, what an issuer answers that says nothing of its keys: as either of its documents. */
export const failures: Readonly<Record<string, Answers>> = {
  'socket hang up': { 'drops the connection': (response) => response.destroy() },
  aborted: {
    'drops the connection in the middle': (response, _, text) => {
      response.writeHead(200, { 'content-length': text.length });
      response.write(text.slice(0, 20), () => response.destroy());
    },
  },
  'Parse Error': { 'does not speak HTTP': ({ socket }) => socket?.end('SSH-2.0-OpenSSH\r\n') },
  'The issuer answered': {
    'answers 500 with the right document': status(500),
    'answers 401': status(401, { 'www-authenticate': 'Basic' }),
    'answers 204': (response) => response.writeHead(204).end(),
    'redirects to itself': (response, url) => response.writeHead(302, { location: url }).end(),
  },
  'has more than 262144 bytes': {
    'answers a byte too much, in pieces': (response, _, text) => {
      response.write(text.padEnd(LIMIT_BYTES));
      response.end(' ');
    },
    'answers without end': (response) =>
      repeat(response, 1, () => response.write(' '.repeat(99_999))),
  },
  JSON: {
    'answers in gzip': (response, _, text) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    'answers garbage': body('<html><body>Welcome to the network of this hotel.</body></html>'),
    'answers nothing': body(''),
    'answers half the document': (response, _, text) =>
      response.end(text.slice(0, text.length / 2)),
    'answers 100,000 lists in each other': body('['.repeat(100_000)),
  },
  'The issuer did not answer with an object.': {
    'answers null': body('null'),
    'answers a list': (response, _, text) => response.end(`[${text}]`),
  },
};

/** Likewise, in place of the discovery document. */
export const misleading: typeof failures = {
  'names another issuer': {
    'names another issuer': withMembers(() => ({ issuer: 'https://other.example.com' })),
    'names the issuer with a slash': withMembers(({ issuer }) => ({ issuer: `${issuer}/` })),
    'answers a prototype': body('{"__proto__":{"keys":[],"issuer":"x"}}'),
  },
  'has no jwks_uri': {
    'names no address of keys': withMembers(() => ({ jwks_uri: undefined })),
    'names a list of addresses': withMembers(({ jwks_uri: uri }) => ({ jwks_uri: [uri] })),
  },
  'Invalid URL': {
    'names an address that is none': withMembers(() => ({ jwks_uri: 'http://' })),
  },
  'file:': { 'names a file': withMembers(() => ({ jwks_uri: 'file:///etc/hosts' })) },
};

/** Likewise, in place of the keys. */
export const keyless: typeof failures = {
  'The issuer lists no key for RS256 or ES256.': {
    'answers the discovery document': withMembers(() => ({ keys: undefined, issuer: 'x' })),
    'answers a prototype': body('{"__proto__":{"keys":[]}}'),
    'lists no keys': withKeys(),
    'has keys that are no list': body('{"keys":{"length":1,"0":{}}}'),
    'lists garbage': withKeys(...garbage),
  },
};

/** What takes as long as the service waits. */
export const hanging: Answers = {
  'never answers': () => undefined,
  'sends its headers and no more': (response) => response.writeHead(200).flushHeaders(),
  'promises more than it sends': (response, _, text) => {
    response.writeHead(200, { 'content-length': text.length + 1 });
    response.write(text);
  },
};

/** What is unusual, and all the same an answer. */
export const unusual: Answers = {
  'answers in pieces': (response, _, text) => {
    response.write(text.slice(0, 20), () => response.end(text.slice(20)));
  },
  'answers as much as is taken': (response, _, text) => response.end(text.padEnd(LIMIT_BYTES)),
  'says that it is gzip, and is not': status(200, { 'content-encoding': 'gzip' }),
  'names an address with a password': withMembers(({ jwks_uri: uri }) => ({
    jwks_uri: `${uri}`.replace('http://', 'http://user:password@'),
  })),
  'has unknown members': withMembers(() => ({ more: garbage })),
  'lists garbage beside its keys': withMembers(({ keys }) => ({
    keys: [...garbage, keys, garbage].flat(),
  })),
};
