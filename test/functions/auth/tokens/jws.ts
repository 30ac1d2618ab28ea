import { constants, createHmac, KeyObject, sign } from 'node:crypto';
import type { CryptoKey } from 'jose';

/** Signs the text of a token's first two parts. */
export type Signer = (input: string) => Uint8Array;

/** A part of a token: text and bytes as they are, everything else as JSON. */
export function part(content: unknown): string {
  if (content instanceof Uint8Array) return Buffer.from(content).toString('base64url');
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return Buffer.from(text).toString('base64url');
}

/** A compact JWS made by hand, which may be one that no library would make. */
export function handMade(header: unknown, payload: unknown, signer: Signer): string {
  return seal(part(header), part(payload), signer);
}

/** The same, of two parts that are encoded already. */
export function seal(header: string, payload: string, signer: Signer): string {
  return `${header}.${payload}.${part(signer(`${header}.${payload}`))}`;
}

/** What `KeyObject.from` takes: jose's own type of the same keys is wider. */
export const keyObject = (key: CryptoKey | KeyObject) =>
  key instanceof KeyObject ? key : KeyObject.from(key as Parameters<typeof KeyObject.from>[0]);

/** By the `alg` of a token, the hash and the form of its signature. */
const algorithms = {
  ES256: { hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  ES256K: { hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  ES384: { hash: 'sha384', dsaEncoding: 'ieee-p1363' },
  ES512: { hash: 'sha512', dsaEncoding: 'ieee-p1363' },
  'ES256 in DER': { hash: 'sha256', dsaEncoding: 'der' },
  RS256: { hash: 'sha256' },
  RS384: { hash: 'sha384' },
  RS512: { hash: 'sha512' },
  PS256: { hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  PS384: { hash: 'sha384', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 },
  EdDSA: { hash: null },
  Ed25519: { hash: null },
} as const;

export type HandAlgorithm = keyof typeof algorithms;

/** Signs by a private key, whatever the key's length is. */
export function signer(alg: HandAlgorithm, key: CryptoKey | KeyObject): Signer {
  const { hash, ...options } = algorithms[alg];
  return (input) => sign(hash, Buffer.from(input), { key: keyObject(key), ...options });
}

/** Signs by an HMAC of this many bits. */
export const hmac =
  (bits: 256 | 384 | 512, secret: string | Uint8Array): Signer =>
  (input) =>
    createHmac(`sha${bits}`, secret).update(input).digest();

/** Whatever is to be signed, these bytes. */
export const constant =
  (bytes: Uint8Array): Signer =>
  () =>
    bytes;
