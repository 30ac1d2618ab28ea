import { createHash, privateEncrypt } from 'node:crypto';
import type { SigningKey } from '../../../support/issuer.ts';
import { constant, handMade, hmac, keyObject, type Signer, signer } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import {
  headerOf,
  OTHER_ALGORITHMS,
  type OtherAlgorithm,
  own,
  SECRET,
  type Setup,
} from './setup.ts';

const NO_SIGNATURE = constant(new Uint8Array());

/** A proper token but for its `alg`, which may be no string. */
const withAlg = (setup: Setup, alg: unknown, by: Signer, key = setup.issuer.key) =>
  handMade(headerOf(key, { alg }), setup.issuer.claims(), by);

/** The spellings of none. */
const unsigned = ['none', 'None', 'NONE', 'nOnE', 'none ', 'n\u043ene', '', null].map((alg) =>
  refused(`is not signed (alg ${JSON.stringify(alg)})`, (setup) =>
    withAlg(setup, alg, NO_SIGNATURE),
  ),
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
    refused(`is an HMAC whose secret is the public key of ${kind} ${form}`, (setup) => {
      const key = kind === 'RS256' ? setup.rsa : setup.issuer.key;
      return withAlg(setup, 'HS256', hmac(256, secretOf(key)), key);
    }),
  ),
);

/** A token of an algorithm that is not pinned, by the key that the issuer publishes for it. */
export const ofOtherAlgorithm = ({ issuer, others }: Setup, alg: OtherAlgorithm) =>
  handMade({ alg, kid: alg, typ: 'at+jwt' }, issuer.claims(), signer(alg, others[alg]));

const others = OTHER_ALGORITHMS.map((alg) =>
  refused(`is of ${alg}, for which the issuer publishes a key`, (setup) =>
    ofOtherAlgorithm(setup, alg),
  ),
);

/** Tokens whose algorithm is not one of the two that the service pins. */
export const algorithms: Row[] = [
  accepted('is of ES256', 'it is one of the two', ({ issuer }) => issuer.mint()),
  accepted('is of RS256', 'it is the other', ({ issuer, rsa }) => issuer.mint({}, {}, rsa)),
  accepted('is of RS256 by a key of no algorithm', 'RFC 7517 lets `alg` be left out', (setup) =>
    setup.issuer.mint({}, { kid: 'bare' }, setup.rsa),
  ),
  ...unsigned,
  refused('says that it is not signed, and is signed', (setup) =>
    withAlg(setup, 'none', own(setup.issuer)),
  ),
  refused('says no algorithm', (setup) => withAlg(setup, undefined, own(setup.issuer))),
  ...['es256', 'ES256 ', ['ES256'], { ES256: true }, 7].map((alg) =>
    refused(`names its algorithm as ${JSON.stringify(alg)}`, (setup) =>
      withAlg(setup, alg, own(setup.issuer)),
    ),
  ),
  ...['constructor', '__proto__', 'toString'].map((alg) =>
    refused(`is of the algorithm ${alg}, which every object has`, (setup) =>
      withAlg(setup, alg, NO_SIGNATURE),
    ),
  ),
  ...confused,
  refused('is an HMAC of 384 bits whose secret is the public key', (setup) =>
    withAlg(setup, 'HS384', hmac(384, JSON.stringify(setup.rsa.jwk)), setup.rsa),
  ),
  refused('is an HMAC of 512 bits without a secret', (setup) =>
    withAlg(setup, 'HS512', hmac(512, '')),
  ),
  refused('is an HMAC that says RS256', (setup) =>
    withAlg(setup, 'RS256', hmac(256, JSON.stringify(setup.rsa.jwk)), setup.rsa),
  ),
  refused('is an HMAC by a secret that the issuer publishes', ({ issuer }) =>
    handMade({ alg: 'HS256', kid: 'secret' }, issuer.claims(), hmac(256, SECRET)),
  ),
  ...others,
  ...(['RS384', 'RS512', 'PS256'] as const).map((alg) =>
    refused(`is of ${alg} by a key that is published for any algorithm`, (setup) =>
      handMade({ alg, kid: 'bare' }, setup.issuer.claims(), signer(alg, setup.rsa.privateKey)),
    ),
  ),
  refused('says RS256 and names a key of ES256', (setup) =>
    withAlg(setup, 'RS256', signer('RS256', setup.rsa.privateKey)),
  ),
  refused('says ES256 and is of RS256', (setup) =>
    withAlg(setup, 'ES256', signer('RS256', setup.rsa.privateKey), setup.rsa),
  ),
  refused('says RS256 and is of PS256', (setup) =>
    withAlg(setup, 'RS256', signer('PS256', setup.rsa.privateKey), setup.rsa),
  ),
  refused('says RS256 and is padded without naming the hash', hashUnnamed),
];

/**
 * A token whose signature is PKCS #1 v1.5 of the hash alone, as a verifier takes it that does not look
 * for the hash's name.
 */
export function hashUnnamed(setup: Setup): string {
  const key = keyObject(setup.rsa.privateKey);
  const bare: Signer = (input) => privateEncrypt(key, createHash('sha256').update(input).digest());
  return withAlg(setup, 'RS256', bare, setup.rsa);
}
