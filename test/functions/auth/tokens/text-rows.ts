import {
  base64url,
  claimsOf,
  each,
  headerOf,
  type Members,
  type Row,
  rows,
  type Setup,
  seal,
  signer,
  tokenOf,
} from './token.ts';

const LIMIT_BYTES = 8192;
/** The order of P-256 (FIPS 186-5; SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A proper token, its text changed, or one of its three parts. */
const changed = (change: (text: string) => string) => (setup: Setup) => change(tokenOf(setup));
const changedPart = (at: 0 | 1 | 2, change: (part: string) => string) =>
  changed((text) =>
    text
      .split('.')
      .with(at, change(text.split('.')[at] ?? ''))
      .join('.'),
  );
/** A proper token, one of whose parts has these members after the signature. */
const tampered = (at: 0 | 1) => (members: Members, setup: Setup) =>
  changedPart(at, (part) => {
    const content = JSON.parse(Buffer.from(part, 'base64url').toString());
    return base64url({ ...content, ...members });
  })(setup);

/** A proper token of exactly so many bytes: three bytes of claims or header are four of the token. */
export function ofLength(length: number, setup: Setup): string {
  const missing = length - tokenOf(setup, { header: { cty: '' }, claims: { padding: '' } }).length;
  for (const cty of ['', 'x', 'xx']) {
    for (const less of [0, 1, 2, 3, 4]) {
      const padding = 'x'.repeat(Math.floor((missing * 3) / 4) - less);
      const token = tokenOf(setup, { header: { cty }, claims: { padding } });
      if (token.length === length) return token;
    }
  }
  throw new Error(`There is no token of ${length} bytes.`);
}

/** A token that is signed as it is, of a header or of claims that are encoded in another way. */
const encodedAs =
  (header: (text: string) => string, claims: (text: string) => string) => (setup: Setup) => {
    const { key } = setup.issuer;
    const text = JSON.stringify(claimsOf(setup, { marks: '>>>???~~~ÿÿÿ' }));
    // Of a length that base64 pads.
    const padded = text.padEnd(text.length + 4 - (Buffer.byteLength(text) % 3));
    const by = signer('ES256', key.privateKey);
    return seal(header(base64url(headerOf(key))), claims(padded), by);
  };
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What is no JSON object in UTF-8. */
const contents = [
  ...['null', '7', '"claims"', '[{}]', '', '{"alg":', '{"alg":"ES256"} {}'],
  ...[Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x7d), Buffer.from('{"alg":"ES256"}', 'utf16le')],
];

/** What may stand around a good token. */
const around = ['%.', '.%', '%.bW9yZQ', '%.AAAA.AAAA', '"%"', '<%>', '%\u0000', '%==', '% '];

/** Texts that are not the three parts of a signed token, and some unusual ones that are. */
const shapes: Row[] = [
  ...rows(
    {},
    {
      'is of exactly 8192 bytes': (setup) => ofLength(LIMIT_BYTES, setup),
      'has spaces in its header': (setup) => ({
        rawHeader: ` ${JSON.stringify(headerOf(setup.issuer.key)).replaceAll(',', ' ,\n')} `,
      }),
      'holds 1000 lists in each other': {
        claims: { deep: JSON.parse('['.repeat(1000) + ']'.repeat(1000)) },
      },
    },
  ),
  ...rows('tooLong', {
    'is of 8193 bytes': (setup) => ofLength(LIMIT_BYTES + 1, setup),
    'is of 8192 characters and more bytes': changed((text) => text.padEnd(LIMIT_BYTES, 'é')),
  }),
  ...rows('unverified', {
    'has claims in base64 with padding': encodedAs((text) => text, base64),
    'has a space in its header': encodedAs((header) => header.replace('e', 'e '), base64url),
    'has claims with bits that were not signed': changedPart(1, (claims) => `${claims}A`),
    'has no signature': changed((text) => text.replace(/\.[^.]*$/, '')),
    'has dots that are percent-encoded': changed((text) => text.replaceAll('.', '%2E')),
    'has a tab in it': changed((text) => `${text.slice(0, -4)}\t${text.slice(-4)}`),
  }),
  ...each('is', ['..', 'x', 'a.b', 'é', '🔑.🔑.🔑', '\ud83d', 'null'], (text) => text),
  ...each('is, with a good one for %,', around, (text, setup) => text.replace('%', tokenOf(setup))),
  ...each('has the header', contents, (rawHeader) => ({ rawHeader })),
  ...each('has the claims', contents, (rawClaims) => ({ rawClaims })),
];

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (number: bigint, length: number) =>
  Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');

/** Proper tokens whose signature is changed. */
const withSignature = (
  name: 'ES256' | 'RS256',
  changes: Readonly<Record<string, (bytes: Buffer, setup: Setup) => Uint8Array>>,
  expected: Row['expected'] = 'unverified',
) =>
  each(
    `has for a signature of ${name}`,
    Object.keys(changes),
    (change, setup) => {
      const key = name === 'RS256' ? setup.rsa : setup.issuer.key;
      const by = signer(name, key.privateKey);
      const signatureOf = (input: string) => Buffer.from(by(input));
      return { key, by: (input) => changes[change]?.(signatureOf(input), setup) ?? Buffer.of() };
    },
    expected,
  );

const otherClaims: Members[] = [{ sub: 'user-2' }, { exp: 4_000_000_000 }];
const otherHeaders: Members[] = [{ alg: 'RS256' }, { typ: 'JWT' }, { kid: 'twin' }];

/** Tokens whose signature is not what the issuer made of just this header and these claims. */
const signatures: Row[] = [
  /*
   * A signature can be written in several ways. The holder of a token can write it otherwise and gets
   * another text of the same header and claims, good for the same caller and as long. That would matter
   * if tokens were kept or revoked by their text: this service keeps none.
   */
  ...withSignature(
    'ES256',
    {
      'the other one that ECDSA allows (n - s)': (bytes) =>
        Buffer.concat([bytes.subarray(0, 32), bytesOf(ORDER - numberOf(bytes.subarray(32)), 32)]),
    },
    {},
  ),
  ...rows(
    {},
    {
      'has a signature in base64url with bits left over': changed(
        (text) => text.slice(0, -1) + DIGITS.charAt(DIGITS.indexOf(text.slice(-1)) + 1),
      ),
    },
  ),
  ...withSignature('ES256', {
    nothing: () => Buffer.of(),
    'r = 0 and s = 0': () => Buffer.alloc(64),
    'r = 1 and s = 1': () => bytesOf((1n << 256n) + 1n, 64),
    'the order twice': () => bytesOf((ORDER << 256n) + ORDER, 64),
    'a byte too few': (bytes) => bytes.subarray(0, 63),
    'a byte too many': (bytes) => Buffer.concat([bytes, Buffer.of(0)]),
  }),
  ...withSignature('RS256', {
    nothing: () => Buffer.of(),
    'a byte too few': (bytes) => bytes.subarray(0, 255),
  }),
  ...rows('unverified', {
    'has its signature of ES256 in DER': { form: 'ES256 in DER' },
    'has the signature of another good token': (setup) =>
      changedPart(2, () => tokenOf(setup, { claims: { sub: 'x' } }).split('.')[2] ?? '')(setup),
    'has a signature of the claims alone': (setup) => ({
      by: (input) => signer('ES256', setup.issuer.key.privateKey)(input.split('.')[1] ?? ''),
    }),
  }),
  ...each('has the claims, other than was signed,', otherClaims, tampered(1)),
  ...each('has the header, other than was signed,', otherHeaders, tampered(0)),
];

/** Requests with a good token in place of each `%`. */
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
const OTHER_HEADERS = ['proxy-authorization', 'x-authorization', 'x-access-token'];

/** Places of a token in a request: only the header counts (RFC 6750, section 2). */
const credentials: Row[] = [
  // RFC 9110 allows the scheme in any case.
  ...inHeader({}, 'bearer %', 'BEARER %', 'bEaReR %', 'Bearer  %'),
  ...inHeader('unauthenticated', '', 'Bearer', 'Bearer ', `Bearer${' '.repeat(8000)}`),
  ...inHeader('unauthenticated', 'Basic %', 'DPoP %', 'Token %', 'BearerX %', 'XBearer %', '%'),
  ...inHeader('unauthenticated', 'Be\u0430rer %', 'Bearer%', 'Bearer: %', 'Bearer=%', 'Bearer\t%'),
  ...inHeader('unauthenticated', 'Bearer \t%', 'Bearer\u00a0%', 'Bearer\r\n %', 'Bearer a\n%'),
  // A byte order mark is white space to JavaScript.
  ...inHeader('unauthenticated', 'Bearer %\nX-Other: 1', 'Bearer \ufeff%', 'Basic eDp5,Bearer %'),
  ...inHeader('unverified', 'Bearer %  ', 'Bearer %,Bearer %', 'Bearer %, Basic dXNlcjpwYXNz'),
  ...inHeader('unverified', 'Bearer a.b.c %', 'Bearer Bearer %', 'Bearer token="%"'),
  ...inRequests('unauthenticated', [
    {},
    { headers: {} },
    { headers: {}, rawQueryString: 'access_token=%' },
    { headers: { cookie: 'Authorization=Bearer %' } },
    { headers: {}, cookies: ['access_token=%'] },
    { headers: {}, body: { access_token: '%' } },
    { headers: {}, body: 'access_token=%' },
    { headers: { 'x-amzn-oidc-data': '%' } },
    ...OTHER_HEADERS.map((name) => ({ headers: { [name]: 'Bearer %' } })),
  ]),
];

/** By what the tokens of a table are about. */
export const textTables = { credentials, shapes, signatures };
