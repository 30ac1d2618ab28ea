import { constant, handMade, part, type Signer, signer } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import { headerOf, own, type Setup, sealedBy } from './setup.ts';

/** The order of P-256 (FIPS 186-5; SEC 2, section 2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (number: bigint, length: number) =>
  Buffer.from(number.toString(16).padStart(2 * length, '0'), 'hex');

/** A signature of ES256: r and s, 32 bytes each. */
const pair = (r: bigint, s: bigint) => constant(Buffer.concat([bytesOf(r, 32), bytesOf(s, 32)]));

/** What a signer makes, changed. */
const changed =
  (by: Signer, change: (signature: Uint8Array) => Uint8Array): Signer =>
  (input) =>
    change(by(input));

const ofRsa = ({ rsa }: Setup) => signer('RS256', rsa.privateKey);

/** A proper token, one of whose parts is changed after the signature. */
async function tampered({ issuer }: Setup, at: 0 | 1, members: Readonly<Record<string, unknown>>) {
  const parts = (await issuer.mint()).split('.');
  const content = JSON.parse(Buffer.from(parts[at] ?? '', 'base64url').toString());
  parts[at] = part({ ...content, ...members });
  return parts.join('.');
}

/** A proper token with another signature in text. */
async function withSignature({ issuer }: Setup, change: (text: string) => string) {
  const [header, payload, signature = ''] = (await issuer.mint()).split('.');
  return `${header}.${payload}.${change(signature)}`;
}

/** The four bits that 64 bytes leave over in the last character, set. */
function withTrailingBits(text: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + digits.charAt(digits.indexOf(text.slice(-1)) + 1);
}

/** Numbers that a careless verifier accepts as a signature of every text, so that no key is needed. */
const psychic: [string, bigint, bigint][] = [
  ['r = 0 and s = 0', 0n, 0n],
  ['r = 0 and s = 1', 0n, 1n],
  ['r = 1 and s = 0', 1n, 0n],
  ["the curve's order twice", ORDER, ORDER],
  ['r = 1 and s = 1', 1n, 1n],
];

/**
 * A signature can be written in several ways. The holder of a token can write it otherwise and gets
 * another text of the same header and claims, good for the same caller and as long. That would matter
 * if tokens were kept or revoked by their text: this service keeps none.
 */
const HARMLESS = 'its header and claims are as signed, and nothing is kept by the bytes of a token';

/** Tokens whose signature is not what the issuer made of just this header and these claims. */
export const signatures: Row[] = [
  accepted(
    'has the other signature that ECDSA allows of the same text (n - s)',
    HARMLESS,
    (setup) =>
      sealedBy(
        setup,
        changed(own(setup.issuer), (signature) => {
          const s = ORDER - numberOf(signature.subarray(32));
          return Buffer.concat([signature.subarray(0, 32), bytesOf(s, 32)]);
        }),
      ),
  ),
  accepted('has a signature in base64url with bits left over', HARMLESS, (setup) =>
    withSignature(setup, withTrailingBits),
  ),
  refused('has a signature in base64url that is padded', (setup) =>
    withSignature(setup, (text) => `${text}==`),
  ),
  refused('has a space in its signature', (setup) =>
    withSignature(setup, (text) => `${text.slice(0, 20)} ${text.slice(20)}`),
  ),
  ...psychic.map(([numbers, r, s]) =>
    refused(`has a signature of ${numbers}`, (setup) => sealedBy(setup, pair(r, s))),
  ),
  refused('has an empty signature', (setup) => sealedBy(setup, constant(new Uint8Array()))),
  refused('has a signature of 64 bytes of 255', (setup) =>
    sealedBy(setup, constant(new Uint8Array(64).fill(255))),
  ),
  refused('has half a signature', (setup) =>
    sealedBy(
      setup,
      changed(own(setup.issuer), (bytes) => bytes.subarray(0, 32)),
    ),
  ),
  refused('has a signature a byte too short', (setup) =>
    sealedBy(
      setup,
      changed(own(setup.issuer), (bytes) => bytes.subarray(0, 63)),
    ),
  ),
  refused('has a signature a byte too long', (setup) =>
    sealedBy(
      setup,
      changed(own(setup.issuer), (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
    ),
  ),
  refused('has its signature twice', (setup) =>
    sealedBy(
      setup,
      changed(own(setup.issuer), (bytes) => Buffer.concat([bytes, bytes])),
    ),
  ),
  refused('has a signature whose halves are exchanged', (setup) =>
    sealedBy(
      setup,
      changed(own(setup.issuer), (bytes) =>
        Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]),
      ),
    ),
  ),
  refused('has its signature of ES256 in DER', (setup) =>
    sealedBy(setup, signer('ES256 in DER', setup.issuer.key.privateKey)),
  ),
  refused('has the signature of another good token', async (setup) => {
    const other = (await setup.issuer.mint({ sub: 'user-2' })).split('.')[2] ?? '';
    return withSignature(setup, () => other);
  }),
  refused('has a signature of the claims alone', (setup) => {
    const claims = part(setup.issuer.claims());
    return `${part(headerOf(setup.issuer.key))}.${claims}.${part(own(setup.issuer)(claims))}`;
  }),
  refused('has a signature in base64 of the other alphabet', (setup) =>
    withSignature(setup, (text) => `+/${text.slice(2)}`),
  ),
  refused('has a signature of RS256 that is empty', (setup) =>
    sealedBy(setup, constant(new Uint8Array()), setup.rsa),
  ),
  refused('has a signature of RS256 of zeros', (setup) =>
    sealedBy(setup, constant(new Uint8Array(256)), setup.rsa),
  ),
  refused('has a signature of RS256 that is the number 1', (setup) =>
    sealedBy(setup, constant(bytesOf(1n, 256)), setup.rsa),
  ),
  refused('has a signature of RS256 without its last byte', (setup) =>
    sealedBy(
      setup,
      changed(ofRsa(setup), (bytes) => bytes.subarray(0, 255)),
      setup.rsa,
    ),
  ),
  refused('has a signature of RS256 to which the modulus is added', (setup) =>
    sealedBy(
      setup,
      changed(ofRsa(setup), (bytes) => {
        const modulus = numberOf(Buffer.from(setup.rsa.jwk.n ?? '', 'base64url'));
        return bytesOf(numberOf(bytes) + modulus, 257);
      }),
      setup.rsa,
    ),
  ),
  refused('says another subject than was signed', (setup) => tampered(setup, 1, { sub: 'user-2' })),
  refused('says a later expiry than was signed', (setup) =>
    tampered(setup, 1, { exp: 4_000_000_000 }),
  ),
  refused('says another algorithm than was signed', (setup) =>
    tampered(setup, 0, { alg: 'RS256' }),
  ),
  refused('says another type than was signed', (setup) => tampered(setup, 0, { typ: 'JWT' })),
  refused('names another key than was signed', (setup) => tampered(setup, 0, { kid: 'twin' })),
  refused('says its claims in another order than was signed', async (setup) => {
    const claims = Object.fromEntries(Object.entries(setup.issuer.claims()).reverse());
    const original = (await setup.issuer.mint()).split('.');
    return [original[0], part(claims), original[2]].join('.');
  }),
  refused('is of a good key over an empty text', ({ issuer }) =>
    handMade(headerOf(issuer.key), '', own(issuer)),
  ),
];
