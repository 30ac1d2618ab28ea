import { CompactEncrypt, importJWK } from 'jose';
import {
  base64url,
  claimsOf,
  headerOf,
  type Row,
  rows,
  rowsOf,
  type Setup,
  seal,
  signer,
  tokenOf,
} from './token.ts';

const LIMIT_BYTES = 8192;

/** A proper token, its text changed. */
const changed = (change: (text: string) => string) => (setup: Setup) => change(tokenOf(setup));
const changedClaims = (change: (claims: string) => string) =>
  changed((text) => text.replace(/\.([^.]*)\./, (_, claims) => `.${change(claims)}.`));

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
export async function encrypted(setup: Setup, kid: string): Promise<string> {
  const { kty = '', n = '', e = '' } = (kid === 'bare' ? setup.rsa : setup.encryption).jwk;
  return new CompactEncrypt(Buffer.from(tokenOf(setup)))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid, cty: 'JWT' })
    .encrypt(await importJWK({ kty, n, e }, 'RSA-OAEP-256'));
}

/** A proper token in JSON (RFC 7515, section 7.2), flattened or general. */
function inJson(setup: Setup, isFlattened: boolean): string {
  const [header, payload, signature] = tokenOf(setup).split('.');
  const signed = { protected: header, signature };
  return JSON.stringify(isFlattened ? { payload, ...signed } : { payload, signatures: [signed] });
}

/** A token whose claims are encoded in another way, and signed so. */
const encodedAs = (encode: (text: string) => string) => (setup: Setup) => {
  const { key } = setup.issuer;
  const claims = JSON.stringify(claimsOf(setup, { marks: '>>>???~~~ÿÿÿ' }));
  // Of a length that base64 pads.
  const text = claims.padEnd(claims.length + 2 - (Buffer.byteLength(claims) % 3) + 2);
  return seal(base64url(headerOf(key)), encode(text), signer('ES256', key.privateKey));
};

/** What is no JSON object in UTF-8. */
const contents = [
  ...['null', '7', '"claims"', '[{}]', '', '{"alg":', '{"alg":"ES256"} {}'],
  ...[Buffer.of(0x7b, 0x22, 0xff, 0x22, 0x7d), Buffer.from('{"alg":"ES256"}', 'utf16le')],
];

/** Texts that are not the three parts of a signed token, and some unusual ones that are. */
export const shapes: Row[] = [
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
    'is of a million bytes': changed((text) => text.padEnd(1_000_000, 'A')),
  }),
  ...rows('unverified', {
    'has claims in base64url with padding': encodedAs((text) =>
      Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    ),
    'has claims in base64': encodedAs((text) =>
      Buffer.from(text).toString('base64').replaceAll('=', ''),
    ),
    'has claims with bits that were not signed': changedClaims((claims) => `${claims}A`),
    'has claims padded after the signature': changedClaims((claims) => `${claims}=`),
    'has no signature': changed((text) => text.replace(/\.[^.]*$/, '')),
    'is its claims alone': changed((text) => text.split('.')[1] ?? ''),
    'has a fourth part': changed((text) => `${text}.${base64url('more')}`),
    'has a fourth part that is empty': changed((text) => `${text}.`),
    'has an empty part before it': changed((text) => `.${text}`),
    'has five parts': changed((text) => `${text}.AAAA.AAAA`),
    'is a flattened JWS in JSON': (setup) => inJson(setup, true),
    'is a general JWS in JSON': (setup) => inJson(setup, false),
    'is a flattened JWS in base64url': (setup) => base64url(inJson(setup, true)),
    'is in quotation marks': changed((text) => `"${text}"`),
    'is in angle brackets': changed((text) => `<${text}>`),
    'has dots that are percent-encoded': changed((text) => text.replaceAll('.', '%2E')),
    'has dots of another script': changed((text) => text.replaceAll('.', '。')),
    'ends with a null character': changed((text) => `${text}\u0000`),
    'has a tab in it': changed((text) => `${text.slice(0, -4)}\t${text.slice(-4)}`),
    'is of a header with a space, and signed so': (setup) => {
      const header = base64url(headerOf(setup.issuer.key));
      const { privateKey } = setup.issuer.key;
      const by = signer('ES256', privateKey);
      return seal(`${header.slice(0, 4)} ${header.slice(4)}`, base64url(claimsOf(setup)), by);
    },
  }),
  ...rowsOf('unverified', 'is', ['..', 'x', 'a.b', 'é', '🔑.🔑.🔑', '\ud83d', 'null'], (t) => t),
  ...rowsOf('unverified', 'is encrypted for', ['encryption', 'bare'], (kid, setup) =>
    encrypted(setup, kid),
  ),
  ...rowsOf('unverified', 'has the header', contents, (rawHeader) => ({ rawHeader })),
  ...rowsOf('unverified', 'has the claims', contents, (rawClaims) => ({ rawClaims })),
];
