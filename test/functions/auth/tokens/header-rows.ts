import { createHmac } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { CRITICAL, type SigningKey } from '../../../support/issuer.ts';
import {
  claimsOf,
  each,
  headerOf,
  keyObject,
  type Members,
  OTHER_ALGORITHMS,
  type Row,
  rows,
  SECRET,
  type Setup,
  type Signer,
  signer,
  textWith,
} from './token.ts';

const hmac =
  (secret: string | Uint8Array): Signer =>
  (input) =>
    createHmac('sha256', secret).update(input).digest();
const publicOf = ({ publicKey }: SigningKey) => keyObject(publicKey);
const numberOf = ({ jwk }: SigningKey) => jwk.n ?? jwk.x ?? '';

/** By this key, or the issuer's own, and says that it is by the one of this name. */
const naming = (kid: unknown, key?: SigningKey) => ({ ...(key && { key }), header: { kid } });

/** What everybody knows of a key, in the forms that a library could take for a secret. */
const secrets: Readonly<Record<string, (key: SigningKey) => string | Uint8Array>> = {
  'in PEM': (key) => publicOf(key).export({ type: 'spki', format: 'pem' }),
  'in DER': (key) => publicOf(key).export({ type: 'spki', format: 'der' }),
  'as the JWK that the issuer publishes': ({ jwk }) => JSON.stringify(jwk),
  'by the bytes of its n or x': (key) => Buffer.from(numberOf(key), 'base64url'),
};
const secretForms = Object.keys(secrets);
const ofPublicKey = (form: string, key: SigningKey) => ({
  key,
  header: { alg: 'HS256' },
  by: hmac(secrets[form]?.(key) ?? ''),
});

/** A token of an algorithm that is not allowed, by the key that the issuer publishes for it. */
const ofOtherAlgorithm = (alg: keyof Setup['others'], { others }: Setup) => ({
  header: { alg, kid: alg },
  by: signer(alg, others[alg]),
});

const unsigned = ['none', 'None', 'NONE', 'nOnE', 'none ', 'n\u043ene', '', null, 'toString'];
const misnamed = ['none', undefined, 'es256', 'ES256 ', ['ES256'], { ES256: true }, 7, '__proto__'];

const OF_RSA = ['RS384', 'RS512', 'PS256'] as const;

/** Tokens whose algorithm is not one of the two that the service allows. */
const algorithms: Row[] = [
  ...rows(
    {},
    {
      'is of ES256': {},
      'is of RS256': ({ rsa }) => ({ key: rsa }),
      'is of RS256 by a key without alg': ({ rsa }) => naming('bare', rsa),
    },
  ),
  ...each('has no signature and the alg', unsigned, (alg) => ({
    header: { alg },
    by: () => Buffer.of(),
  })),
  ...each('is signed, with the alg', misnamed, (alg) => ({ header: { alg } })),
  ...each('is an HMAC by the RSA key', secretForms, (form, { rsa }) => ofPublicKey(form, rsa)),
  ...each('is an HMAC by the EC key', secretForms, (form, { issuer }) =>
    ofPublicKey(form, issuer.key),
  ),
  ...each('is of another algorithm', OTHER_ALGORITHMS, ofOtherAlgorithm),
  ...each('is by a key without alg, and of', OF_RSA, (form, { rsa }) => ({
    key: rsa,
    header: { alg: form, kid: 'bare' },
    form,
  })),
  ...rows('unverified', {
    'is an HMAC, with the alg RS256': ({ rsa }) => ({ ...ofPublicKey('in PEM', rsa), header: {} }),
    'is an HMAC by a secret that the issuer publishes': {
      header: { alg: 'HS256', kid: 'secret' },
      by: hmac(SECRET),
    },
    'is of RS256, and names a key of ES256': ({ issuer, rsa }) => naming(issuer.key.kid, rsa),
    'is of RS256, with the alg ES256': ({ rsa }) => ({ key: rsa, header: { alg: 'ES256' } }),
  }),
];

/** Extensions that no recipient may ignore (RFC 7515, section 4.1.11). */
const critical: Members[] = [
  { crit: [CRITICAL], [CRITICAL]: true },
  { crit: ['b64', CRITICAL], b64: true, [CRITICAL]: true },
  { crit: ['exp'], exp: 4_000_000_000 },
  { crit: 'b64', b64: true },
  { crit: ['b64'], b64: 'false' },
  { crit: ['b64'], b64: false },
  ...[[CRITICAL], ['alg'], [], [7], [''], null, ['__proto__'], ['b64']].map((crit) => ({ crit })),
];

/** Types of tokens that are not for a resource server, and what is no type at all. */
const otherTypes = [
  ...['id_token', 'id+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', 'rt+jwt', 'JWS', 'JOSE'],
  ...['token-introspection+jwt', 'oauth-authz-req+jwt', 'at+jwt ', 'at+jwt, JWT', ''],
  ...['application/jwt+at', 7, null, ['at+jwt'], { typ: 'at+jwt' }],
];
const types = [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'];
const withType = (typ: unknown) => ({ header: { typ } });

/** The header with members before and after its own, of which the last of two wins. */
const withText = (after: string, before?: string) => (setup: Setup) => ({
  rawHeader: textWith(headerOf(setup.issuer.key), after, before),
});

/** Tokens that the issuer has signed, with a header that may mean something else. */
const headers: Row[] = [
  ...each('has the type', types, withType, {}),
  ...each('has the type', otherTypes, withType, 'otherType'),
  ...rows('otherType', { 'has the right type, and then another': withText('"typ":"id+jwt"') }),
  ...each('has the header', critical, (header) => ({ header })),
  ...rows(
    {},
    {
      'has claims that are encoded, and says so': { header: { crit: ['b64'], b64: true } },
      'has the alg none, and then the right one': withText('', '"alg":"none"'),
      'names an unknown key, and then the right one': withText('', '"kid":"other"'),
    },
  ),
  ...rows('unverified', {
    'has claims that are compressed (zip)': (setup) => ({
      header: { zip: 'DEF' },
      rawClaims: deflateRawSync(JSON.stringify(claimsOf(setup))),
    }),
    'has the right alg, and then none': withText('"alg":"none"'),
    'names the right key, and then an unknown one': withText('"kid":"other"'),
    'has its algorithm in the prototype': { rawHeader: '{"__proto__":{"alg":"ES256"}}' },
  }),
];

/** The ways in which a header can bring a key along (RFC 7515, section 4.1). */
function broughtBy({ issuer, attacker, unpublished }: Setup): Record<string, Members> {
  const der = publicOf(unpublished).export({ type: 'spki', format: 'der' });
  const x5c = { x5c: [der.toString('base64')], x5t: 'AAAA' };
  const jwk = { jwk: unpublished.jwk };
  const jku = { jku: `${attacker.url}/jwks` };
  const below = { jku: `${issuer.url}@${attacker.url.replace('http://', '')}/jwks` };
  const x5u = { x5u: `${attacker.url}/x5u` };
  return { jwk, jku, below, x5u, x5c, all: { ...jwk, ...jku, ...x5u, ...x5c } };
}
const WAYS = ['jwk', 'jku', 'below', 'x5u', 'x5c', 'all'];
const brings = (name: string, kid: (setup: Setup) => Members) =>
  each(`brings the attacker’s key along, ${name}, by`, WAYS, (way, setup) => ({
    key: setup.unpublished,
    header: { ...broughtBy(setup)[way], ...kid(setup) },
  }));

/** Names of keys that were written for something else to read. */
const injections = [
  ...['../../../../../../dev/null', '/proc/self/environ', 'C:\\keys\\public.pem', '', '\u0000'],
  ...["x' UNION SELECT 'secret' -- ", '$(cat /etc/passwd)', '{"$ne":null}', 'K'.repeat(5000)],
  ...['__proto__', 'constructor', 'twin'],
];

const ofTwin = (at: 0 | 1, { twins }: Setup) => naming('twin', twins[at]);

/** Tokens that try to choose the key they are verified with. */
const keys: Row[] = [
  ...each('is by one of two keys of the same name, number', [0, 1] as const, ofTwin, {}),
  ...rows(
    {},
    {
      'names no key': naming(undefined),
      'names no key, and is by another': ({ twins: [, key] }) => naming(undefined, key),
      'is by the issuer’s key, and brings another along': (setup) => ({
        header: broughtBy(setup).all ?? {},
      }),
    },
  ),
  ...rows('expired', {
    'names no key, and has expired': ({ twins: [, key] }) => ({
      ...naming(undefined, key),
      claims: { exp: 1 },
    }),
  }),
  ...brings('under its own name', () => ({})),
  ...brings('under the name of the issuer’s', ({ issuer }) => ({ kid: issuer.key.kid })),
  ...brings('without a name', () => ({ kid: undefined })),
  ...each('is forged and names its key', injections, (kid, { unpublished }) =>
    naming(kid, unpublished),
  ),
  ...each('names its key', [7, null, true, {}, [], ['first']], (kid) => naming(kid)),
  ...rows('unverified', {
    'is by a key that the issuer does not publish': ({ unpublished }) => ({ key: unpublished }),
    'is by such a key and names the issuer’s': ({ issuer, unpublished }) =>
      naming(issuer.key.kid, unpublished),
    'is by such a key and names none': ({ unpublished }) => naming(undefined, unpublished),
    'is by a key that is published for encryption': ({ encryption }) =>
      naming('encryption', encryption),
  }),
];

/** By what the tokens of a table are about. */
export const headerTables = { algorithms, headers, keys };
