import { CompactEncrypt, importJWK } from 'jose';
import {
  accepted,
  base64url,
  claimsOf,
  each,
  headerOf,
  type Members,
  type Row,
  refused,
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
const tampered = (at: 0 | 1, members: Members) =>
  changedPart(at, (part) => {
    const content = JSON.parse(Buffer.from(part, 'base64url').toString());
    return base64url({ ...content, ...members });
  });

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

/** A token that is encrypted by a key of the issuer (JWE). */
async function encrypted(kid: string, setup: Setup): Promise<string> {
  const { kty = '', n = '', e = '' } = (kid === 'bare' ? setup.rsa : setup.encryption).jwk;
  return new CompactEncrypt(Buffer.from(tokenOf(setup)))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid, cty: 'JWT' })
    .encrypt(await importJWK({ kty, n, e }, 'RSA-OAEP-256'));
}

/** A proper token in JSON (RFC 7515, section 7.2), flattened or general. */
const inJson = (isFlattened: boolean) =>
  changed((text) => {
    const [header, payload, signature] = text.split('.');
    const signed = { protected: header, signature };
    return JSON.stringify({ payload, ...(isFlattened ? signed : { signatures: [signed] }) });
  });

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
const unchanged = (text: string) => text;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What is no JSON object in UTF-8. */
const contents = [
  ...['null', '7', '"claims"', '[{}]', '', '{"alg":', '{"alg":"ES256"} {}'],
  ...[Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x7d), Buffer.from('{"alg":"ES256"}', 'utf16le')],
];

/** Texts that are not the three parts of a signed token, and some unusual ones that are. */
export const shapes: Row[] = [
  ...accepted({
    'is of exactly 8192 bytes': (setup) => ofLength(LIMIT_BYTES, setup),
    'has spaces in its header': (setup) => ({
      rawHeader: ` ${JSON.stringify(headerOf(setup.issuer.key)).replaceAll(',', ' ,\n')} `,
    }),
    'holds 1000 lists in each other': {
      claims: { deep: JSON.parse('['.repeat(1000) + ']'.repeat(1000)) },
    },
  }),
  ...rows('tooLong', {
    'is of 8193 bytes': (setup) => ofLength(LIMIT_BYTES + 1, setup),
    'is of 8192 characters and more bytes': changed((text) => text.padEnd(LIMIT_BYTES, 'é')),
    'is of a million bytes': changed((text) => text.padEnd(1_000_000, 'A')),
  }),
  ...refused({
    'has claims in base64url with padding': encodedAs(unchanged, (text) =>
      base64(text).replaceAll('+', '-').replaceAll('/', '_'),
    ),
    'has claims in base64': encodedAs(unchanged, (text) => base64(text).replaceAll('=', '')),
    'has a space in its header': encodedAs((header) => header.replace('e', 'e '), base64url),
    'has claims with bits that were not signed': changedPart(1, (claims) => `${claims}A`),
    'has claims padded after the signature': changedPart(1, (claims) => `${claims}=`),
    'has no signature': changed((text) => text.replace(/\.[^.]*$/, '')),
    'is its claims alone': changed((text) => text.split('.')[1] ?? ''),
    'has a fourth part': changed((text) => `${text}.${base64url('more')}`),
    'has a fourth part that is empty': changed((text) => `${text}.`),
    'has an empty part before it': changed((text) => `.${text}`),
    'has five parts': changed((text) => `${text}.AAAA.AAAA`),
    'is a flattened JWS in JSON': inJson(true),
    'is a general JWS in JSON': inJson(false),
    'is a flattened JWS in base64url': (setup) => base64url(inJson(true)(setup)),
    'is in quotation marks': changed((text) => `"${text}"`),
    'is in angle brackets': changed((text) => `<${text}>`),
    'has dots that are percent-encoded': changed((text) => text.replaceAll('.', '%2E')),
    'has dots of another script': changed((text) => text.replaceAll('.', '。')),
    'ends with a null character': changed((text) => `${text}\u0000`),
    'has a tab in it': changed((text) => `${text.slice(0, -4)}\t${text.slice(-4)}`),
  }),
  ...each('is', ['..', 'x', 'a.b', 'é', '🔑.🔑.🔑', '\ud83d', 'null'], (text) => text),
  ...each('is encrypted for', ['encryption', 'bare'], encrypted),
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

/** Tokens whose signature is not what the issuer made of just this header and these claims. */
export const signatures: Row[] = [
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
  ...accepted({
    'has a signature in base64url with bits left over': changed(
      (text) => text.slice(0, -1) + DIGITS.charAt(DIGITS.indexOf(text.slice(-1)) + 1),
    ),
  }),
  ...withSignature('ES256', {
    nothing: () => Buffer.of(),
    'r = 0 and s = 0': () => Buffer.alloc(64),
    'r = 0 and s = 1': () => bytesOf(1n, 64),
    'r = 1 and s = 0': () => bytesOf(1n << 256n, 64),
    'r = 1 and s = 1': () => bytesOf((1n << 256n) + 1n, 64),
    'the order twice': () => bytesOf((ORDER << 256n) + ORDER, 64),
    '64 bytes of 255': () => Buffer.alloc(64, 255),
    'its first half': (bytes) => bytes.subarray(0, 32),
    'a byte too few': (bytes) => bytes.subarray(0, 63),
    'a byte too many': (bytes) => Buffer.concat([bytes, Buffer.of(0)]),
    'itself twice': (bytes) => Buffer.concat([bytes, bytes]),
    'its halves exchanged': (bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]),
  }),
  ...withSignature('RS256', {
    nothing: () => Buffer.of(),
    zeros: () => Buffer.alloc(256),
    'the number 1': () => bytesOf(1n, 256),
    'a byte too few': (bytes) => bytes.subarray(0, 255),
    'itself and the modulus': (bytes, { rsa }) =>
      bytesOf(numberOf(bytes) + numberOf(Buffer.from(rsa.jwk.n ?? '', 'base64url')), 257),
  }),
  ...refused({
    'has a signature that is padded': changed((text) => `${text}==`),
    'has a space in its signature': changed((text) => `${text.slice(0, -9)} ${text.slice(-9)}`),
    'has a space after it': changed((text) => `${text} `),
    'has a signature in base64': changedPart(2, (text) => `+/${text.slice(2)}`),
    'has its signature of ES256 in DER': (setup) => ({
      by: signer('ES256 in DER', setup.issuer.key.privateKey),
    }),
    'has the signature of another good token': (setup) =>
      changedPart(2, () => tokenOf(setup, { claims: { sub: 'x' } }).split('.')[2] ?? '')(setup),
    'has a signature of the claims alone': (setup) => ({
      by: (input) => signer('ES256', setup.issuer.key.privateKey)(input.split('.')[1] ?? ''),
    }),
    'has another subject than was signed': tampered(1, { sub: 'user-2' }),
    'has a later expiry than was signed': tampered(1, { exp: 4_000_000_000 }),
    'has another algorithm than was signed': tampered(0, { alg: 'RS256' }),
    'has another type than was signed': tampered(0, { typ: 'JWT' }),
    'names another key than was signed': tampered(0, { kid: 'twin' }),
    'has its claims in another order than was signed': changedPart(1, (part) => {
      const signed = JSON.parse(Buffer.from(part, 'base64url').toString());
      return base64url(Object.fromEntries(Object.entries(signed).reverse()));
    }),
  }),
];

/** Requests with the Authorization header that is made of a good token. */
const withHeader = (
  expected: Row['expected'],
  table: Readonly<Record<string, (token: string) => string>>,
) =>
  each(
    'is in a header that',
    Object.keys(table),
    (name, setup) => ({
      request: { headers: { authorization: table[name]?.(tokenOf(setup)) } },
    }),
    expected,
  );
/** Requests without such a header, whose good token stands elsewhere. */
const elsewhere = (table: Readonly<Record<string, (token: string) => object>>) =>
  each(
    'is in no header that counts:',
    Object.keys(table),
    (name, setup) => ({ request: table[name]?.(tokenOf(setup)) ?? {} }),
    'unauthenticated',
  );
const fixed = (authorization?: string) => () => ({ headers: { authorization } });
const inHeader = (name: string) => (token: string) => ({ headers: { [name]: `Bearer ${token}` } });

/** Places of a token in a request: only the header counts (RFC 6750, section 2). */
export const credentials: Row[] = [
  ...withHeader(
    {},
    {
      'has the scheme in lower case, as RFC 9110 allows': (token) => `bearer ${token}`,
      'has the scheme in upper case': (token) => `BEARER ${token}`,
      'has the scheme in any case': (token) => `bEaReR ${token}`,
      'has two spaces': (token) => `Bearer  ${token}`,
    },
  ),
  ...withHeader('unauthenticated', {
    'has the scheme Basic': (token) => `Basic ${btoa(`user:${token}`)}`,
    'has the scheme DPoP': (token) => `DPoP ${token}`,
    'has the scheme Token': (token) => `Token ${token}`,
    'has a scheme that begins with Bearer': (token) => `BearerX ${token}`,
    'has a scheme that ends with Bearer': (token) => `XBearer ${token}`,
    'has a scheme with a letter of another script': (token) => `Be\u0430rer ${token}`,
    'has no scheme': (token) => token,
    'has no space after the scheme': (token) => `Bearer${token}`,
    'has a colon after the scheme': (token) => `Bearer: ${token}`,
    'has an equals sign after the scheme': (token) => `Bearer=${token}`,
    'has a tab after the scheme': (token) => `Bearer\t${token}`,
    'has a space and a tab after the scheme': (token) => `Bearer \t${token}`,
    'has a space that does not break': (token) => `Bearer\u00a0${token}`,
    'has a line break after the scheme': (token) => `Bearer\r\n ${token}`,
    'has a line break in the token': (token) => `Bearer ${token.slice(0, 9)}\n${token.slice(9)}`,
    'has a line break after the token': (token) => `Bearer ${token}\nX-Other: 1`,
    'has a mark of byte order, white space to JavaScript': (token) => `Bearer \ufeff${token}`,
    'has another scheme before it, joined by a comma': (token) => `Basic eDp5,Bearer ${token}`,
  }),
  ...elsewhere({
    'there is no header': () => ({ headers: {} }),
    'there are no headers at all': () => ({}),
    'the header is empty': fixed(''),
    'the header is only a scheme': fixed('Bearer'),
    'the header is a scheme and a space': fixed('Bearer '),
    'the header is a scheme and 8000 spaces': fixed(`Bearer${' '.repeat(8000)}`),
    'the query string': (token) => ({ headers: {}, rawQueryString: `access_token=${token}` }),
    'a cookie': (token) => ({ headers: { cookie: `Authorization=Bearer ${token}` } }),
    'the cookies': (token) => ({ headers: {}, cookies: [`access_token=${token}`] }),
    'the body': (token) => ({ headers: {}, body: { access_token: token } }),
    'a form': (token) => ({ headers: {}, body: `access_token=${token}` }),
    'proxy-authorization': inHeader('proxy-authorization'),
    'x-authorization': inHeader('x-authorization'),
    'x-access-token': inHeader('x-access-token'),
    'x-amzn-oidc-data': inHeader('x-amzn-oidc-data'),
  }),
  ...withHeader('unverified', {
    'has spaces after the token': (token) => `Bearer ${token}  `,
    'has it twice, joined by a comma': (token) => `Bearer ${token},Bearer ${token}`,
    'has another scheme after it': (token) => `Bearer ${token}, Basic dXNlcjpwYXNz`,
    'has another token before it': (token) => `Bearer a.b.c ${token}`,
    'has the scheme twice': (token) => `Bearer Bearer ${token}`,
    'has it as the value of a parameter': (token) => `Bearer token="${token}"`,
  }),
];
