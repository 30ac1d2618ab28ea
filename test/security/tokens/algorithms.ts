import { createHash, privateEncrypt } from 'node:crypto';
import type { SigningKey } from '../../support/issuer.ts';
import { constant, handMade, hmac, keyObject, type Signer, signer } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import { headerOf, type Kit, OTHER_ALGORITHMS, type OtherAlgorithm, own, SECRET } from './setup.ts';

const NOBODY = constant(new Uint8Array());

/** A proper token but for its `alg`, which may be no string. */
const withAlg = (kit: Kit, alg: unknown, by: Signer, key = kit.issuer.key) =>
  handMade(headerOf(key, { alg }), kit.issuer.claims(), by);

/** The spellings of none. */
const unsigned = ['none', 'None', 'NONE', 'nOnE', 'none ', 'n\u043ene', '', null].map((alg) =>
  refused(`nobody has signed (alg ${JSON.stringify(alg)})`, (kit) => withAlg(kit, alg, NOBODY)),
);

const publicOf = ({ publicKey }: SigningKey) => keyObject(publicKey);

/** What everybody knows of a key, in the forms that a library could take for a secret. */
const forms: Record<string, (key: SigningKey) => string | Uint8Array> = {
  'in PEM': (key) => publicOf(key).export({ type: 'spki', format: 'pem' }),
  'in PEM without its last line break': (key) =>
    String(publicOf(key).export({ type: 'spki', format: 'pem' })).trimEnd(),
  'in DER': (key) => publicOf(key).export({ type: 'spki', format: 'der' }),
  'as the JWK that the issuer publishes': ({ jwk }) => JSON.stringify(jwk),
  'by its first number in base64url (n or x)': ({ jwk }) => jwk.n ?? jwk.x ?? '',
  'by the bytes of its first number (n or x)': ({ jwk }) =>
    Buffer.from(jwk.n ?? jwk.x ?? '', 'base64url'),
};

const confused = Object.entries(forms).flatMap(([form, secretOf]) =>
  (['RS256', 'ES256'] as const).map((kind) =>
    refused(`is an HMAC whose secret is the public key of ${kind} ${form}`, (kit) => {
      const key = kind === 'RS256' ? kit.rsa : kit.issuer.key;
      return withAlg(kit, 'HS256', hmac(256, secretOf(key)), key);
    }),
  ),
);

/** A token of an algorithm that is not pinned, by the key that the issuer publishes for it. */
export const ofOtherAlgorithm = ({ issuer, others }: Kit, alg: OtherAlgorithm) =>
  handMade({ alg, kid: alg, typ: 'at+jwt' }, issuer.claims(), signer(alg, others[alg]));

const others = OTHER_ALGORITHMS.map((alg) =>
  refused(`is of ${alg}, for which the issuer publishes a key`, (kit) =>
    ofOtherAlgorithm(kit, alg),
  ),
);

/** Tokens whose algorithm is not one of the two that the service pins. */
export const algorithms: Row[] = [
  accepted('is of ES256', 'it is one of the two', ({ issuer }) => issuer.mint()),
  accepted('is of RS256', 'it is the other', ({ issuer, rsa }) => issuer.mint({}, {}, rsa)),
  accepted('is of RS256 by a key of no algorithm', 'RFC 7517 lets `alg` be left out', (kit) =>
    kit.issuer.mint({}, { kid: 'bare' }, kit.rsa),
  ),
  ...unsigned,
  refused('says that nobody has signed it, and is signed', (kit) =>
    withAlg(kit, 'none', own(kit.issuer)),
  ),
  refused('says no algorithm', (kit) => withAlg(kit, undefined, own(kit.issuer))),
  ...['es256', 'ES256 ', ['ES256'], { ES256: true }, 7].map((alg) =>
    refused(`names its algorithm as ${JSON.stringify(alg)}`, (kit) =>
      withAlg(kit, alg, own(kit.issuer)),
    ),
  ),
  ...['constructor', '__proto__', 'toString'].map((alg) =>
    refused(`is of the algorithm ${alg}, which every object has`, (kit) =>
      withAlg(kit, alg, NOBODY),
    ),
  ),
  ...confused,
  refused('is an HMAC of 384 bits whose secret is the public key', (kit) =>
    withAlg(kit, 'HS384', hmac(384, JSON.stringify(kit.rsa.jwk)), kit.rsa),
  ),
  refused('is an HMAC of 512 bits without a secret', (kit) => withAlg(kit, 'HS512', hmac(512, ''))),
  refused('is an HMAC that says RS256', (kit) =>
    withAlg(kit, 'RS256', hmac(256, JSON.stringify(kit.rsa.jwk)), kit.rsa),
  ),
  refused('is an HMAC by a secret that the issuer publishes', ({ issuer }) =>
    handMade({ alg: 'HS256', kid: 'secret' }, issuer.claims(), hmac(256, SECRET)),
  ),
  ...others,
  ...(['RS384', 'RS512', 'PS256'] as const).map((alg) =>
    refused(`is of ${alg} by a key that is published for any algorithm`, (kit) =>
      handMade({ alg, kid: 'bare' }, kit.issuer.claims(), signer(alg, kit.rsa.privateKey)),
    ),
  ),
  refused('says RS256 and names a key of ES256', (kit) =>
    withAlg(kit, 'RS256', signer('RS256', kit.rsa.privateKey)),
  ),
  refused('says ES256 and is of RS256', (kit) =>
    withAlg(kit, 'ES256', signer('RS256', kit.rsa.privateKey), kit.rsa),
  ),
  refused('says RS256 and is of PS256', (kit) =>
    withAlg(kit, 'RS256', signer('PS256', kit.rsa.privateKey), kit.rsa),
  ),
  refused('says RS256 and is padded without naming the hash', hashUnnamed),
];

/**
 * A token whose signature is PKCS #1 v1.5 of the hash alone, as a verifier takes it that does not look
 * for the hash's name.
 */
export function hashUnnamed(kit: Kit): string {
  const key = keyObject(kit.rsa.privateKey);
  const bare: Signer = (input) => privateEncrypt(key, createHash('sha256').update(input).digest());
  return withAlg(kit, 'RS256', bare, kit.rsa);
}
