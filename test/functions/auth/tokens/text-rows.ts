import { expect } from 'vitest';
import { claimsOf, each, type Row, rows, type Setup, tokenOf } from './token.ts';

const LIMIT_BYTES = 8192;

const changed = (change: (text: string) => string) => (setup: Setup) => change(tokenOf(setup));

/** Base64url turns three bytes into four characters, so some paddings miss `length`: try several. */
export function ofLength(length: number, setup: Setup): string {
  const padded = (cty: string, size: number) =>
    tokenOf(setup, { header: { cty }, claims: { padding: 'x'.repeat(size) } });
  const most = Math.floor(((length - padded('', 0).length) * 3) / 4);
  const candidates = ['', 'x', 'xx'].flatMap((cty) =>
    [0, 1, 2, 3, 4].map((less) => padded(cty, most - less)),
  );
  return candidates.find((token) => token.length === length) ?? expect.fail('No such token.');
}

/** `%` stands for a valid token. */
const around = ['%.', '.%', '%.bW9yZQ', '"%"', '%\u0000', '%==', '% '];

/**
 * Strings that are not signed JWTs. The last two are Google's opaque token and an encrypted JWT, which has five parts
 * (RFC 7516, section 7.1).
 */
const opaque = [
  ...['..', 'x', 'a.b', 'é', '🔑.🔑.🔑', 'null', 'a.b.c'],
  ...['ya29.a0AfH6SMBx-example', 'eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d'],
];

const shapes: Row[] = [
  ...rows('ok', { 'is of exactly 8192 bytes': (setup) => ofLength(LIMIT_BYTES, setup) }),
  ...rows('too_long', {
    'is of 8193 bytes': (setup) => ofLength(LIMIT_BYTES + 1, setup),
    'is of 8192 characters and more bytes': changed((text) => text.padEnd(LIMIT_BYTES, 'é')),
  }),
  ...rows('not_signed_jwt', {
    'has claims in base64 with padding': (setup) => {
      const text = JSON.stringify(claimsOf(setup));
      // Lengthened until base64 needs padding.
      return { rawClaims: text.padEnd(text.length + 4 - (text.length % 3)), encoding: 'base64' };
    },
    'has no signature': changed((text) => text.replace(/\.[^.]*$/, '')),
    'has an empty signature': changed((text) => text.replace(/[^.]*$/, '')),
    'has a tab in it': changed((text) => `${text.slice(0, -4)}\t${text.slice(-4)}`),
  }),
  ...each('is', opaque, (text) => text, 'not_signed_jwt'),
  ...each(
    'is, with a good one for %,',
    around,
    (text, setup) => text.replace('%', tokenOf(setup)),
    'not_signed_jwt',
  ),
  ...each('has the claims', ['null', '[{}]', ''], (rawClaims) => ({ rawClaims }), 'not_signed_jwt'),
  ...each('has the header', ['null', '[{}]'], (rawHeader) => ({ rawHeader }), 'not_signed_jwt'),
  ...each(
    'is forged and has the claims',
    ['null', '{'],
    (rawClaims, { unpublished }) => ({ key: unpublished, rawClaims }),
    'not_signed_jwt',
  ),
];

/** Each `%` stands for a valid token. */
const inRequests = (expected: Row['expected'], requests: readonly object[]) =>
  each(
    'is in the request',
    requests,
    (request, setup) => ({
      request: JSON.parse(JSON.stringify(request).replaceAll('%', tokenOf(setup))),
    }),
    expected,
  );
const inHeader = (expected: Row['expected'], ...texts: readonly string[]) =>
  inRequests(
    expected,
    texts.map((authorization) => ({ headers: { authorization } })),
  );

/**
 * Only the `Authorization` header counts, although RFC 6750, section 2, also defines a form parameter and a query
 * parameter.
 */
const credentials: Row[] = [
  // The scheme is case-insensitive (RFC 9110).
  ...inHeader('ok', 'bearer %', 'BEARER %', 'Bearer  %'),
  ...inHeader('unauthenticated', '', 'Bearer', 'Bearer ', `Bearer${' '.repeat(8000)}`),
  ...inHeader('unauthenticated', 'Basic %', 'DPoP %', 'BearerX %', 'XBearer %', '%', 'Bearer%'),
  ...inHeader('unauthenticated', 'Bearer: %', 'Bearer\t%', 'Bearer\r\n %', 'Bearer a\n%'),
  // In JavaScript, `\s` also matches `\ufeff`, the byte order mark.
  ...inHeader('unauthenticated', 'Bearer %\nX-Other: 1', 'Bearer \ufeff%'),
  ...inHeader('unauthenticated', 'Digest username="a",realm="b"'),
  // API Gateway joins two headers with a comma.
  ...inHeader('several', 'Bearer %,Bearer %', 'bearer %, x', 'Basic eDp5,Bearer %'),
  ...inHeader('not_signed_jwt', 'Bearer %  ', 'Bearer a.b.c %', 'Bearer Bearer %'),
  ...inRequests('unauthenticated', [
    {},
    { headers: {}, rawQueryString: 'access_token=%' },
    { headers: { cookie: 'Authorization=Bearer %' }, cookies: ['access_token=%'] },
    { headers: {}, body: { access_token: '%' } },
    { headers: { 'proxy-authorization': 'Bearer %', 'x-access-token': 'Bearer %' } },
  ]),
];

export const textTables = { credentials, shapes };
