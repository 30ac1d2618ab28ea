import { keyObject, type Members, type Row, rows, rowsOf, type Setup, signer } from './token.ts';

/** A token by the attacker's key. */
const forged =
  (header: Members = {}) =>
  ({ unpublished }: Setup) => ({ key: unpublished, header });

/** The ways in which a header can bring a key along (RFC 7515, section 4.1). */
function broughtBy({ issuer, attacker, unpublished }: Setup): Record<string, Members> {
  const der = keyObject(unpublished.publicKey).export({ type: 'spki', format: 'der' });
  const x5c = [der.toString('base64')];
  const all = { jwk: unpublished.jwk, jku: `${attacker.url}/jwks`, x5u: `${attacker.url}/x5u` };
  return {
    jwk: { jwk: unpublished.jwk },
    jku: { jku: `${attacker.url}/jwks` },
    'jku below the address of the issuer': {
      jku: `${issuer.url}@${attacker.url.replace('http://', '')}/jwks`,
    },
    x5u: { x5u: attacker.url },
    x5c: { x5c },
    all: { ...all, x5c, x5t: 'AAAA' },
  };
}

const WAYS = ['jwk', 'jku', 'jku below the address of the issuer', 'x5u', 'x5c', 'all'];

const brings = (name: string, kid: (setup: Setup) => Members) =>
  rowsOf('unverified', `brings its key along, ${name}, by`, WAYS, (way, setup) =>
    forged({ ...broughtBy(setup)[way], ...kid(setup) })(setup),
  );

/** Names of keys that were written for something else to read. */
const injections = [
  ...['../../../../../../dev/null', '/proc/self/environ', 'C:\\keys\\public.pem', '', '\u0000'],
  ...["x' UNION SELECT 'secret' -- ", '$(cat /etc/passwd)', '{"$ne":null}', 'K'.repeat(5000)],
  ...['__proto__', 'constructor'],
];

/** A token whose signature is valid, by a key that is too short. */
export const weakly = (kid: 'weak' | 'padded', { weak }: Setup) => ({
  header: { alg: 'RS256', kid },
  by: signer('RS256', weak),
});

/** Tokens that try to choose the key they are verified with. */
export const keys: Row[] = [
  ...rows(
    {},
    {
      'is by the first of two keys of one name': ({ twins: [key] }) => ({
        key,
        header: { kid: 'twin' },
      }),
      'is by the second of two keys of one name': ({ twins: [, key] }) => ({
        key,
        header: { kid: 'twin' },
      }),
      'names no key, and is by the issuer’s own': { header: { kid: undefined } },
      'names no key, and is by the third of its algorithm': ({ twins: [, key] }) => ({
        key,
        header: { kid: undefined },
      }),
      'is by the issuer’s key, and brings another along': (setup) => ({
        header: broughtBy(setup).all ?? {},
      }),
    },
  ),
  ...rows('unverified', {
    'is by a key that the issuer does not publish': forged(),
    'is by such a key and names none': forged({ kid: undefined }),
    'is by such a key and names the issuer’s': ({ issuer, unpublished }) => ({
      key: unpublished,
      header: { kid: issuer.key.kid },
    }),
    'is by such a key and names two of one name': forged({ kid: 'twin' }),
    'is by a key that is published for encryption': ({ encryption }) => ({
      key: encryption,
      header: { kid: 'encryption' },
    }),
    'is the forgers’ own in every way': ({ attacker, unpublished }) => ({
      key: unpublished,
      claims: { iss: attacker.url },
    }),
    'names the key of the issuer in upper case': ({ issuer }) => ({
      header: { kid: issuer.key.kid.toUpperCase() },
    }),
    'names the key of the issuer in a list': ({ issuer }) => ({
      header: { kid: [issuer.key.kid] },
    }),
  }),
  ...rows('expired', {
    'names no key, is by one of several, and has expired': ({ twins: [, key] }) => ({
      key,
      header: { kid: undefined },
      claims: { exp: 1 },
    }),
  }),
  ...brings('under its own name', () => ({})),
  ...brings('under the name of the issuer’s', ({ issuer }) => ({ kid: issuer.key.kid })),
  ...brings('without a name', () => ({ kid: undefined })),
  ...rowsOf('unverified', 'is forged and names its key', injections, (kid, setup) =>
    forged({ kid })(setup),
  ),
  ...rowsOf('unverified', 'names its key', [7, null, true, {}, [], ['first']], (kid) => ({
    header: { kid },
  })),
  ...rowsOf('unverified', 'is by a key of 1024 bits', ['weak', 'padded'] as const, weakly),
];
