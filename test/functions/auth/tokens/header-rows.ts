import { constants, createHmac, sign } from 'node:crypto';
import type { SigningKey } from '../../../support/issuer.ts';
import { each, headerOf, keyObject, type Row, rows, type Setup, textWith } from './token.ts';

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

const naming = (kid: unknown, key?: SigningKey) => ({ ...(key && { key }), header: { kid } });

/** HMAC with the issuer's public key as the secret, which a careless library could accept. */
const hmac = (alg: string, { rsa }: Setup) => ({
  key: rsa,
  header: { alg },
  by: (input: string) => {
    const secret = keyObject(rsa.publicKey).export({ type: 'spki', format: 'pem' });
    return createHmac('sha256', secret).update(input).digest();
  },
});

const withAlg = (alg: unknown) => ({ header: { alg } });

const algorithms: Row[] = [
  ...rows('ok', { 'is of ES256': {}, 'is of RS256': ({ rsa }) => ({ key: rsa }) }),
  ...each(
    'has no signature and the alg',
    ['none', 'None', '', null],
    (alg) => ({ header: { alg }, by: () => Buffer.of() }),
    'not_signed_jwt',
  ),
  ...each('is signed, with the alg', ['none', 'es256', '__proto__'], withAlg, 'other_algorithm'),
  ...each('is signed, with the alg', [undefined, ['ES256']], withAlg, 'not_signed_jwt'),
  ...each('is an HMAC by the RSA key in PEM, with the alg', ['HS256'], hmac, 'other_algorithm'),
  ...each('is an HMAC by the RSA key in PEM, with the alg', ['RS256'], hmac, 'bad_signature'),
  ...rows('other_algorithm', {
    'is of PS256': ({ rsa }) => ({
      key: rsa,
      header: { alg: 'PS256' },
      by: (input) => sign('sha256', Buffer.from(input), { key: keyObject(rsa.privateKey), ...PSS }),
    }),
  }),
  ...rows('unknown_key', {
    'is of RS256, and names a key of ES256': ({ issuer, rsa }) => naming(issuer.key.kid, rsa),
  }),
];

const otherTypes = [
  ...['id_token', 'id+jwt', 'dpop+jwt', 'logout+jwt', 'JWS', 'at+jwt ', 'at+jwt, JWT', ''],
  ...[7, null, ['at+jwt']],
];
const types = [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'];
const withType = (typ: unknown) => ({ header: { typ } });

/** `members` is JSON text, appended to the header. If a name occurs twice, the last member counts. */
const withText = (members: string) => (setup: Setup) => ({
  rawHeader: textWith(headerOf(setup.issuer.key), members),
});

const headers: Row[] = [
  ...each('has the type', types, withType, 'ok'),
  ...each('has the type', otherTypes, withType, 'other_type'),
  ...rows('unsupported_extension', {
    'has an extension that no recipient may ignore': {
      header: { crit: ['urn:example:critical'], 'urn:example:critical': true },
    },
  }),
  ...rows('other_algorithm', { 'has the right alg, and then none': withText('"alg":"none"') }),
  ...rows('unknown_key', {
    'names the right key, and then an unknown one': withText('"kid":"other"'),
  }),
];

/** Header members that carry or name a key, here the attacker's (RFC 7515, section 4.1). */
function brought({ attacker, unpublished }: Setup) {
  const der = keyObject(unpublished.publicKey).export({ type: 'spki', format: 'der' });
  const [jku, x5u] = [`${attacker.url}/jwks`, `${attacker.url}/x5u`];
  return { jwk: unpublished.jwk, jku, x5u, x5c: [der.toString('base64')], x5t: 'AAAA' };
}
const bringing = (kid: unknown, setup: Setup) => ({
  key: setup.unpublished,
  header: { ...brought(setup), kid },
});

const forged = (kid: string, setup: Setup) => naming(kid, setup.unpublished);

/**
 * Not signed by any key that the issuer publishes. The expected fault is the invalid claim, which tells the client more
 * than the signature would.
 */
const foreign = (expected: Row['expected'], claims: object) =>
  each(
    `has the claims ${JSON.stringify(claims)}, and is signed by another`,
    [undefined, 'unknown', 'twin'],
    (kid, setup) => ({ ...naming(kid, setup.unpublished), claims: { ...claims } }),
    expected,
  );

const keys: Row[] = [
  ...rows('ok', {
    'is by one of two keys of the same name': ({ twins: [key] }) => naming('twin', key),
    'is by the other': ({ twins: [, key] }) => naming('twin', key),
    'names no key': naming(undefined),
    'names no key, and is by another': ({ twins: [, key] }) => naming(undefined, key),
    'is by the issuer’s key, and brings another along': (setup) => ({ header: brought(setup) }),
  }),
  ...rows('expired', {
    'names no key, and has expired': ({ twins: [, key] }) => ({
      ...naming(undefined, key),
      claims: { exp: 1 },
    }),
  }),
  ...rows('unknown_key', {
    'brings the attacker’s key along, and names it': (setup) =>
      bringing(setup.unpublished.kid, setup),
  }),
  ...rows('bad_signature', {
    'brings the attacker’s key along, and names the issuer’s': (setup) =>
      bringing(setup.issuer.key.kid, setup),
    'brings the attacker’s key along, and names none': (setup) => bringing(undefined, setup),
  }),
  ...each('is forged and names its key', ['/dev/null', '', '__proto__'], forged, 'unknown_key'),
  ...each('is forged and names its key', ['twin'], forged, 'bad_signature'),
  ...each('names its key', [7, null, ['first']], (kid) => naming(kid), 'unknown_key'),
  ...foreign('other_issuer', { iss: 'https://other.example.com' }),
  ...foreign('missing_iss', { iss: undefined }),
  // Microsoft Graph's audience. Entra ID signs Graph's tokens so that only Graph can verify them.
  ...foreign('other_audience', { aud: '00000003-0000-0000-c000-000000000000' }),
];

export const headerTables = { algorithms, headers, keys };
