import { createHash, createHmac, privateEncrypt } from 'node:crypto';
import type { SigningKey } from '../../../support/issuer.ts';
import {
  constant,
  keyObject,
  OTHER_ALGORITHMS,
  type Row,
  rows,
  rowsOf,
  SECRET,
  type Setup,
  type Signer,
  signer,
} from './token.ts';

const UNSIGNED = constant();
const hmac =
  (bits: 256 | 384 | 512, secret: string | Uint8Array): Signer =>
  (input) =>
    createHmac(`sha${bits}`, secret).update(input).digest();
const publicOf = ({ publicKey }: SigningKey) => keyObject(publicKey);
const numberOf = ({ jwk }: SigningKey) => jwk.n ?? jwk.x ?? '';

/** What everybody knows of a key, in the forms that a library could take for a secret. */
const secrets: Readonly<Record<string, (key: SigningKey) => string | Uint8Array>> = {
  'in PEM': (key) => publicOf(key).export({ type: 'spki', format: 'pem' }),
  'in PEM, trimmed': (key) => `${publicOf(key).export({ type: 'spki', format: 'pem' })}`.trimEnd(),
  'in DER': (key) => publicOf(key).export({ type: 'spki', format: 'der' }),
  'as the JWK that the issuer publishes': ({ jwk }) => JSON.stringify(jwk),
  'by its n or x in base64url': numberOf,
  'by the bytes of its n or x': (key) => Buffer.from(numberOf(key), 'base64url'),
};

/** A token of an algorithm that is not allowed, by the key that the issuer publishes for it. */
export const ofOtherAlgorithm = (alg: keyof Setup['others'], { others }: Setup) => ({
  header: { alg, kid: alg },
  by: signer(alg, others[alg]),
});

/** Its signature is PKCS #1 v1.5 of the hash alone, without the name of the hash. */
export const hashUnnamed = ({ rsa }: Setup) => ({
  key: rsa,
  by: (input: string) =>
    privateEncrypt(keyObject(rsa.privateKey), createHash('sha256').update(input).digest()),
});

/** Tokens whose algorithm is not one of the two that the service allows. */
export const algorithms: Row[] = [
  ...rows(
    {},
    {
      'is of ES256': {},
      'is of RS256': ({ rsa }) => ({ key: rsa }),
      'is of RS256 by a key without alg': ({ rsa }) => ({ key: rsa, header: { kid: 'bare' } }),
    },
  ),
  ...rowsOf(
    'unverified',
    'has no signature and the alg',
    ['none', 'None', 'NONE', 'nOnE', 'none ', 'n\u043ene', '', null, '__proto__', 'toString'],
    (alg) => ({ header: { alg }, by: UNSIGNED }),
  ),
  ...rowsOf(
    'unverified',
    'is signed, with the alg',
    ['none', undefined, 'es256', 'ES256 ', ['ES256'], { ES256: true }, 7, 'constructor'],
    (alg) => ({ header: { alg } }),
  ),
  ...(['rsa', 'issuer'] as const).flatMap((name) =>
    rowsOf(
      'unverified',
      `is an HMAC by the public key (${name})`,
      Object.keys(secrets),
      (form, { rsa, issuer }) => {
        const key = name === 'rsa' ? rsa : issuer.key;
        return { key, header: { alg: 'HS256' }, by: hmac(256, secrets[form]?.(key) ?? '') };
      },
    ),
  ),
  ...rowsOf('unverified', 'is of another algorithm', OTHER_ALGORITHMS, ofOtherAlgorithm),
  ...rowsOf(
    'unverified',
    'is by a key for any algorithm, and of',
    ['RS384', 'RS512', 'PS256'] as const,
    (alg, { rsa }) => ({ header: { alg, kid: 'bare' }, by: signer(alg, rsa.privateKey) }),
  ),
  ...rows('unverified', {
    'is an HMAC of 384 bits by the public key': ({ rsa }) => ({
      key: rsa,
      header: { alg: 'HS384' },
      by: hmac(384, JSON.stringify(rsa.jwk)),
    }),
    'is an HMAC of 512 bits without a secret': { header: { alg: 'HS512' }, by: hmac(512, '') },
    'is an HMAC, with the alg RS256': ({ rsa }) => ({
      key: rsa,
      by: hmac(256, JSON.stringify(rsa.jwk)),
    }),
    'is an HMAC by a secret that the issuer publishes': {
      header: { alg: 'HS256', kid: 'secret' },
      by: hmac(256, SECRET),
    },
    'has the alg RS256 and names a key of ES256': ({ rsa }) => ({
      header: { alg: 'RS256' },
      by: signer('RS256', rsa.privateKey),
    }),
    'has the alg ES256 and is of RS256': ({ rsa }) => ({ key: rsa, header: { alg: 'ES256' } }),
    'has the alg RS256 and is of PS256': ({ rsa }) => ({
      key: rsa,
      by: signer('PS256', rsa.privateKey),
    }),
    'has the alg RS256 and a hash without its name': hashUnnamed,
  }),
];
