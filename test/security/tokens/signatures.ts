import { constant, handMade, part, type Signer, signer } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import { headerOf, type Kit, own, sealedBy } from './setup.ts';

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

const ofRsa = ({ rsa }: Kit) => signer('RS256', rsa.privateKey);

/** A proper token, one of whose parts is changed after the signature. */
async function tampered({ issuer }: Kit, at: 0 | 1, members: Readonly<Record<string, unknown>>) {
  const parts = (await issuer.mint()).split('.');
  const content = JSON.parse(Buffer.from(parts[at] ?? '', 'base64url').toString());
  parts[at] = part({ ...content, ...members });
  return parts.join('.');
}

/** A proper token with another signature in text. */
async function withSignature({ issuer }: Kit, change: (text: string) => string) {
  const [header, payload, signature = ''] = (await issuer.mint()).split('.');
  return `${header}.${payload}.${change(signature)}`;
}

/** The four bits that 64 bytes leave over in the last character, set. */
function withTrailingBits(text: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + digits.charAt(digits.indexOf(text.slice(-1)) + 1);
}

/** Where forgers need no key: numbers that a careless verifier finds right for every text. */
const psychic: [string, bigint, bigint][] = [
  ['r = 0 and s = 0', 0n, 0n],
  ['r = 0 and s = 1', 0n, 1n],
  ['r = 1 and s = 0', 1n, 0n],
  ["the curve's order twice", ORDER, ORDER],
  ['r = 1 and s = 1', 1n, 1n],
];

/**
 * A signature can be written in several ways. Whoever holds a token can write it otherwise and gets
 * another text of the same header and claims, good for the same caller and as long. That would matter
 * where tokens are kept or revoked by their text: this service keeps none.
 */
const HARMLESS = 'its header and claims are as signed, and nothing is kept by the bytes of a token';

/** Tokens whose signature is not what the issuer made of just this header and these claims. */
export const signatures: Row[] = [
  accepted('has the other signature that ECDSA allows of the same text (n - s)', HARMLESS, (kit) =>
    sealedBy(
      kit,
      changed(own(kit.issuer), (signature) => {
        const s = ORDER - numberOf(signature.subarray(32));
        return Buffer.concat([signature.subarray(0, 32), bytesOf(s, 32)]);
      }),
    ),
  ),
  accepted('has a signature in base64url with bits left over', HARMLESS, (kit) =>
    withSignature(kit, withTrailingBits),
  ),
  refused('has a signature in base64url that is padded', (kit) =>
    withSignature(kit, (text) => `${text}==`),
  ),
  refused('has a space in its signature', (kit) =>
    withSignature(kit, (text) => `${text.slice(0, 20)} ${text.slice(20)}`),
  ),
  ...psychic.map(([numbers, r, s]) =>
    refused(`has a signature of ${numbers}`, (kit) => sealedBy(kit, pair(r, s))),
  ),
  refused('has an empty signature', (kit) => sealedBy(kit, constant(new Uint8Array()))),
  refused('has a signature of 64 bytes of 255', (kit) =>
    sealedBy(kit, constant(new Uint8Array(64).fill(255))),
  ),
  refused('has half a signature', (kit) =>
    sealedBy(
      kit,
      changed(own(kit.issuer), (bytes) => bytes.subarray(0, 32)),
    ),
  ),
  refused('has a signature a byte too short', (kit) =>
    sealedBy(
      kit,
      changed(own(kit.issuer), (bytes) => bytes.subarray(0, 63)),
    ),
  ),
  refused('has a signature a byte too long', (kit) =>
    sealedBy(
      kit,
      changed(own(kit.issuer), (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])),
    ),
  ),
  refused('has its signature twice', (kit) =>
    sealedBy(
      kit,
      changed(own(kit.issuer), (bytes) => Buffer.concat([bytes, bytes])),
    ),
  ),
  refused('has a signature whose halves are exchanged', (kit) =>
    sealedBy(
      kit,
      changed(own(kit.issuer), (bytes) =>
        Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]),
      ),
    ),
  ),
  refused('has its signature of ES256 in DER', (kit) =>
    sealedBy(kit, signer('ES256 in DER', kit.issuer.key.privateKey)),
  ),
  refused('has the signature of another good token', async (kit) => {
    const other = (await kit.issuer.mint({ sub: 'user-2' })).split('.')[2] ?? '';
    return withSignature(kit, () => other);
  }),
  refused('has a signature of the claims alone', (kit) => {
    const claims = part(kit.issuer.claims());
    return `${part(headerOf(kit.issuer.key))}.${claims}.${part(own(kit.issuer)(claims))}`;
  }),
  refused('has a signature in base64 of the other alphabet', (kit) =>
    withSignature(kit, (text) => `+/${text.slice(2)}`),
  ),
  refused('has a signature of RS256 that is empty', (kit) =>
    sealedBy(kit, constant(new Uint8Array()), kit.rsa),
  ),
  refused('has a signature of RS256 of zeros', (kit) =>
    sealedBy(kit, constant(new Uint8Array(256)), kit.rsa),
  ),
  refused('has a signature of RS256 that is the number 1', (kit) =>
    sealedBy(kit, constant(bytesOf(1n, 256)), kit.rsa),
  ),
  refused('has a signature of RS256 without its last byte', (kit) =>
    sealedBy(
      kit,
      changed(ofRsa(kit), (bytes) => bytes.subarray(0, 255)),
      kit.rsa,
    ),
  ),
  refused('has a signature of RS256 to which the modulus is added', (kit) =>
    sealedBy(
      kit,
      changed(ofRsa(kit), (bytes) => {
        const modulus = numberOf(Buffer.from(kit.rsa.jwk.n ?? '', 'base64url'));
        return bytesOf(numberOf(bytes) + modulus, 257);
      }),
      kit.rsa,
    ),
  ),
  refused('says another subject than was signed', (kit) => tampered(kit, 1, { sub: 'user-2' })),
  refused('says a later expiry than was signed', (kit) => tampered(kit, 1, { exp: 4_000_000_000 })),
  refused('says another algorithm than was signed', (kit) => tampered(kit, 0, { alg: 'RS256' })),
  refused('says another type than was signed', (kit) => tampered(kit, 0, { typ: 'JWT' })),
  refused('names another key than was signed', (kit) => tampered(kit, 0, { kid: 'twin' })),
  refused('says its claims in another order than was signed', async (kit) => {
    const claims = Object.fromEntries(Object.entries(kit.issuer.claims()).reverse());
    const original = (await kit.issuer.mint()).split('.');
    return [original[0], part(claims), original[2]].join('.');
  }),
  refused('is of a good key over an empty text', ({ issuer }) =>
    handMade(headerOf(issuer.key), '', own(issuer)),
  ),
];
