import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
// Not the global one, which `useLongTimeLimits` replaces.
import { setTimeout } from 'node:timers';
import { gzipSync } from 'node:zlib';
import type { Answerer } from '../../support/issuer.ts';

const TEN_MB = 10 * 1024 * 1024;
const LIMIT_BYTES = 262_144;

const status =
  (code: number, headers: Record<string, string> = {}): Answerer =>
  (response, _, text) =>
    response.writeHead(code, headers).end(text);

const body =
  (content: string | Uint8Array): Answerer =>
  (response) =>
    response.end(content);

/** Goes on every `ms` until the service hangs up. */
function repeat(response: ServerResponse, ms: number, act: () => void): void {
  const timer = setInterval(act, ms);
  response.once('close', () => clearInterval(timer));
}

const after =
  (ms: number): Answerer =>
  (response, _, text) => {
    const timer = setTimeout(() => response.end(text), ms);
    response.once('close', () => clearTimeout(timer));
  };

const isDiscovery = (url: string) => url.endsWith('openid-configuration');

/** The document with members of its own in place of the right ones. */
const withMembers =
  (members: (document: Record<string, unknown>) => Record<string, unknown>): Answerer =>
  (response, _, text) => {
    const document = JSON.parse(text);
    response.end(JSON.stringify({ ...document, ...members(document) }));
  };

/** What a key set may hold that is no key. */
export const garbageKeys = [
  null,
  7,
  'key',
  [],
  {},
  { kty: 'EC', crv: 'P-256', kid: {}, x: [], y: 7 },
  { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) },
  { kty: 'RSA', n: '!'.repeat(400), e: 'AQAB' },
  { kty: 'oct', k: 'AAAA' },
  { kty: 'constructor' },
  { __proto__: null, kty: '__proto__' },
];

/** What takes the whole three seconds that a request waits. */
export const hanging: Readonly<Record<string, Answerer>> = {
  'never answers': () => undefined,
  'sends its headers and no more': (response) => response.writeHead(200).flushHeaders(),
  'drips a byte every 50 ms': (response, _, text) => {
    let at = 0;
    repeat(response, 50, () => response.write(text.charAt(at++)));
  },
  'answers after 3.5 seconds': after(3500),
  'promises more than it sends': (response, _, text) => {
    response.writeHead(200, { 'content-length': text.length + 1 });
    response.write(text);
  },
};

/** What is known at once. Not one of them is an answer that says which keys there are. */
export const failing: Readonly<Record<string, Answerer>> = {
  'drops the connection': (response) => response.destroy(),
  'drops the connection in the middle': (response, _, text) => {
    response.writeHead(200, { 'content-length': text.length });
    response.write(text.slice(0, 20), () => response.destroy());
  },
  'does not speak HTTP': (response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
  'answers 500 with the right document': status(500),
  'answers 503': status(503, { 'retry-after': '3600' }),
  'answers 404': status(404),
  'answers 401': status(401, { 'www-authenticate': 'Basic' }),
  'answers 429': status(429),
  'answers 204': (response) => response.writeHead(204).end(),
  'answers 304': (response) => response.writeHead(304).end(),
  'answers 206 with a part': status(206),
  'redirects to itself': (response, url) => response.writeHead(302, { location: url }).end(),
  'redirects between two addresses': (response, url) =>
    response.writeHead(307, { location: url.includes('?') ? url.split('?')[0] : `${url}?1` }).end(),
  'answers 10 MB': (response, _, text) => {
    response.writeHead(200, { 'content-length': TEN_MB });
    response.end(text.padEnd(TEN_MB));
  },
  'answers 10 MB in pieces': (response, _, text) => {
    response.write(text.padEnd(TEN_MB / 2));
    response.end(''.padEnd(TEN_MB / 2));
  },
  'answers 1 MB in 1 KB of gzip': (response, _, text) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text.padEnd(1_000_000)));
  },
  'answers without end': (response) =>
    repeat(response, 1, () => response.write(' '.repeat(99_999))),
  'answers in gzip, though asked not to': (response, _, text) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
  'answers garbage': body('<html><body>Welcome to the network of this hotel.</body></html>'),
  'answers bytes': body(new Uint8Array(1000).map((_, at) => (at * 7919) % 256)),
  'answers nothing': body(''),
  'answers half the document': (response, _, text) => response.end(text.slice(0, text.length / 2)),
  'answers the document twice': (response, _, text) => response.end(text + text),
  'answers null': body('null'),
  'answers a number': body('42'),
  'answers a string': body('"keys"'),
  'answers a list': (response, _, text) => response.end(`[${text}]`),
  'answers an empty object': body('{}'),
  'answers 100 000 lists in each other': body('['.repeat(100_000)),
  'answers an error as 200': body('{"error":"temporarily_unavailable"}'),
  'answers keys that are no list': body('{"keys":{"length":1,"0":{}},"issuer":{},"jwks_uri":[]}'),
  'answers a prototype': body('{"__proto__":{"keys":[],"issuer":"x"}}'),
};

/** Documents of the discovery alone that lead nowhere. */
export const misleading: Readonly<Record<string, Answerer>> = {
  'names another issuer': withMembers(() => ({ issuer: 'https://issuer.example.com' })),
  'names the issuer with a slash': withMembers(({ issuer }) => ({ issuer: `${issuer}/` })),
  'names no address of keys': withMembers(() => ({ jwks_uri: undefined })),
  'names an address that is none': withMembers(() => ({ jwks_uri: 'http://' })),
  'names a relative address': withMembers(() => ({ jwks_uri: '/jwks' })),
  'names a file': withMembers(() => ({ jwks_uri: 'file:///etc/hosts' })),
  'names a port where nothing listens': withMembers(() => ({
    jwks_uri: 'http://127.0.0.1:1/jwks',
  })),
};

/** Of 1024 bits, so few that its modulus can be factored. */
const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
  format: 'jwk',
});

/** Key sets that hold no key that may sign. */
export const keyless: Readonly<Record<string, Answerer>> = {
  'lists no keys': body('{"keys":[]}'),
  'lists null': body('{"keys":null}'),
  'lists garbage': body(JSON.stringify({ keys: garbageKeys })),
  'lists a short key alone': body(JSON.stringify({ keys: [short] })),
  'lists damaged keys alone': withMembers(({ keys }) => ({
    keys: [keys].flat().map((key) => ({ ...Object(key), x: 'A'.repeat(43), n: '!'.repeat(342) })),
  })),
};

/** What is unusual, and all the same an answer. */
export const answering: Readonly<Record<string, Answerer>> = {
  'answers after 300 ms': after(300),
  // More than a prefetch waits for both documents.
  'answers after 800 ms': after(800),
  'answers in five pieces': (response, _, text) => {
    let at = 0;
    repeat(response, 20, () => {
      const end = at === 4 ? text.length : (at + 1) * 20;
      response.write(text.slice(at * 20, end));
      at += 1;
      if (at === 5) response.end();
    });
  },
  'answers as much as is taken': (response, _, text) => response.end(text.padEnd(LIMIT_BYTES)),
  'says that it is gzip, and is not': status(200, { 'content-encoding': 'gzip' }),
  'names an address with a password': withMembers(({ jwks_uri: uri }) => ({
    jwks_uri: String(uri).replace('http://', 'http://user:password@'),
  })),
  'says that it is HTML': status(200, { 'content-type': 'text/html' }),
  'answers with unknown members': withMembers(() => ({ more: garbageKeys })),
  'lists garbage beside its keys': (response, url, text) =>
    isDiscovery(url)
      ? response.end(text)
      : withMembers(({ keys }) => ({ keys: [...garbageKeys, keys, garbageKeys].flat() }))(
          response,
          url,
          text,
        ),
};
