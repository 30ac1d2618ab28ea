import {
  base64url,
  claimsOf,
  constant,
  headerOf,
  type Members,
  type Row,
  rows,
  rowsOf,
  type Setup,
  signer,
  tokenOf,
} from './token.ts';

/** The order of P-256 (FIPS 186-5; SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (number: bigint, length: number) =>
  Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');

/** A proper token whose signature is changed, of ES256 or of RS256. */
const changed =
  (
    change: (signature: Uint8Array, setup: Setup) => Uint8Array,
    name: 'ES256' | 'RS256' = 'ES256',
  ) =>
  (setup: Setup) => {
    const key = name === 'RS256' ? setup.rsa : setup.issuer.key;
    const by = signer(name, key.privateKey);
    return { key, by: (input: string) => change(by(input), setup) };
  };

/** A proper token with another signature in text. */
const rewritten = (change: (text: string) => string) => (setup: Setup) =>
  tokenOf(setup).replace(/[^.]*$/, change);

/** A proper token, one of whose parts is changed after the signature. */
const tampered = (at: 0 | 1, members: Members) => (setup: Setup) => {
  const parts = tokenOf(setup).split('.');
  const content = JSON.parse(Buffer.from(parts[at] ?? '', 'base64url').toString());
  parts[at] = base64url({ ...content, ...members });
  return parts.join('.');
};

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Numbers that a careless verifier accepts as a signature (r, s) of every text. */
const psychic = { '0, 0': [0n, 0n], '0, 1': [0n, 1n], '1, 0': [1n, 0n], '1, 1': [1n, 1n] };

/** Tokens whose signature is not what the issuer made of just this header and these claims. */
export const signatures: Row[] = [
  /*
   * A signature can be written in several ways. The holder of a token can write it otherwise and gets
   * another text of the same header and claims, good for the same caller and as long. That would matter
   * if tokens were kept or revoked by their text: this service keeps none.
   */
  ...rows(
    {},
    {
      'has the other signature that ECDSA allows (n - s)': changed((signature) => {
        const s = ORDER - numberOf(signature.subarray(32));
        return Buffer.concat([signature.subarray(0, 32), bytesOf(s, 32)]);
      }),
      'has a signature in base64url with bits left over': rewritten(
        (text) => text.slice(0, -1) + DIGITS.charAt(DIGITS.indexOf(text.slice(-1)) + 1),
      ),
    },
  ),
  ...rowsOf(
    'unverified',
    'has a signature of the numbers',
    [...Object.entries(psychic), ['the order, twice', [ORDER, ORDER]] as const],
    ([, [r = 0n, s = 0n]]) => ({ by: () => Buffer.concat([bytesOf(r, 32), bytesOf(s, 32)]) }),
  ),
  ...rows('unverified', {
    'has a signature that is padded': rewritten((text) => `${text}==`),
    'has a space in its signature': rewritten((text) => `${text.slice(0, 9)} ${text.slice(9)}`),
    'has a space after it': rewritten((text) => `${text} `),
    'has a signature in base64': rewritten((text) => `+/${text.slice(2)}`),
    'has an empty signature': { by: constant() },
    'has a signature of 64 bytes of 255': { by: () => new Uint8Array(64).fill(255) },
    'has half a signature': changed((bytes) => bytes.subarray(0, 32)),
    'has a signature a byte too short': changed((bytes) => bytes.subarray(0, 63)),
    'has a signature a byte too long': changed((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
    'has its signature twice': changed((bytes) => Buffer.concat([bytes, bytes])),
    'has a signature whose halves are exchanged': changed((bytes) =>
      Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]),
    ),
    'has its signature of ES256 in DER': (setup) => ({
      by: signer('ES256 in DER', setup.issuer.key.privateKey),
    }),
    'has the signature of another good token': (setup) =>
      tokenOf(setup).replace(
        /[^.]*$/,
        tokenOf(setup, { claims: { sub: 'x' } }).split('.')[2] ?? '',
      ),
    'has a signature of the claims alone': (setup) => ({
      by: (input) => signer('ES256', setup.issuer.key.privateKey)(input.split('.')[1] ?? ''),
    }),
    'has an empty signature of RS256': ({ rsa }) => ({ key: rsa, by: constant() }),
    'has a signature of RS256 of zeros': changed(() => new Uint8Array(256), 'RS256'),
    'has a signature of RS256 that is 1': changed(() => bytesOf(1n, 256), 'RS256'),
    'has a signature of RS256 without its last byte': changed(
      (bytes) => bytes.subarray(0, 255),
      'RS256',
    ),
    'has a signature of RS256 to which the modulus is added': changed(
      (bytes, { rsa }) =>
        bytesOf(numberOf(bytes) + numberOf(Buffer.from(rsa.jwk.n ?? '', 'base64url')), 257),
      'RS256',
    ),
    'has another subject than was signed': tampered(1, { sub: 'user-2' }),
    'has a later expiry than was signed': tampered(1, { exp: 4_000_000_000 }),
    'has another algorithm than was signed': tampered(0, { alg: 'RS256' }),
    'has another type than was signed': tampered(0, { typ: 'JWT' }),
    'names another key than was signed': tampered(0, { kid: 'twin' }),
    'has its claims in another order than was signed': (setup) => {
      const [header, , signature] = tokenOf(setup).split('.');
      const claims = Object.fromEntries(Object.entries(claimsOf(setup)).reverse());
      return [header, base64url(claims), signature].join('.');
    },
    'is signed over an empty header': (setup) => {
      const by = signer('ES256', setup.issuer.key.privateKey);
      return { by: () => by(`${base64url(headerOf(setup.issuer.key))}.`) };
    },
  }),
];
