import type { SigningKey } from '../../../support/issuer.ts';
import { handMade, keyObject, signer } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import { headerOf, own, type Setup } from './setup.ts';

type Members = Readonly<Record<string, unknown>>;

/** A token signed by a key of the attacker, with a header that says where that key is. */
const forged = ({ issuer, unpublished }: Setup, header: Members) =>
  issuer.mint({}, header, unpublished);

/** A token signed by the issuer, with another name for its key. */
const named = ({ issuer }: Setup, kid: unknown) =>
  handMade(headerOf(issuer.key, { kid }), issuer.claims(), own(issuer));

const derOf = ({ publicKey }: SigningKey) =>
  keyObject(publicKey).export({ type: 'spki', format: 'der' }).toString('base64');

/** The ways in which a header can bring a key along (RFC 7515, section 4.1). */
const brought: Record<string, (setup: Setup) => Members> = {
  'brings its own key (jwk)': ({ unpublished }) => ({ jwk: unpublished.jwk }),
  "names the address of the forgers' keys (jku)": ({ attacker }) => ({
    jku: `${attacker.url}/jwks`,
  }),
  "names the forgers' keys below the issuer's address (jku)": ({ issuer, attacker }) => ({
    jku: `${issuer.url}@${attacker.url.replace('http://', '')}/jwks`,
  }),
  "names the address of the forgers' certificate (x5u)": ({ attacker }) => ({ x5u: attacker.url }),
  'brings a chain of certificates (x5c)': ({ unpublished }) => ({ x5c: [derOf(unpublished)] }),
  'brings all of them': ({ unpublished, attacker }) => ({
    jwk: unpublished.jwk,
    jku: `${attacker.url}/jwks`,
    x5u: `${attacker.url}/x5u`,
    x5c: [derOf(unpublished)],
    x5t: 'AAAA',
  }),
};

/** Names of keys that were written for something else to read. */
const injections = [
  '../../../../../../dev/null',
  '/proc/self/environ',
  'C:\\keys\\public.pem',
  "x' UNION SELECT 'secret' -- ",
  '$(cat /etc/passwd)',
  '{"$ne":null}',
  '\u0000',
  'K'.repeat(5000),
  '',
  '__proto__',
  'constructor',
];

/** Tokens that try to choose the key they are verified with. */
export const keys: Row[] = [
  accepted('names no key', 'RFC 7515 lets `kid` be left out', ({ issuer }) =>
    issuer.mint({}, { kid: undefined }),
  ),
  accepted('is by the first of two keys of one name', 'the issuer publishes both', (setup) =>
    setup.issuer.mint({}, { kid: 'twin' }, setup.twins[0]),
  ),
  accepted('is by the second of two keys of one name', 'the issuer publishes both', (setup) =>
    setup.issuer.mint({}, { kid: 'twin' }, setup.twins[1]),
  ),
  accepted("names the forgers' keys and is the issuer's", 'what it names is not read', (setup) =>
    setup.issuer.mint({}, { jku: `${setup.attacker.url}/jwks`, jwk: setup.unpublished.jwk }),
  ),
  refused('is by a key that the issuer does not publish', (setup) => forged(setup, {})),
  refused('is by such a key and names none', (setup) => forged(setup, { kid: undefined })),
  refused("is by such a key and names the issuer's", (setup) =>
    forged(setup, { kid: setup.issuer.key.kid }),
  ),
  refused('is by such a key and names two of one name', (setup) => forged(setup, { kid: 'twin' })),
  ...Object.entries(brought).flatMap(([name, header]) => [
    refused(name, (setup) => forged(setup, header(setup))),
    refused(`${name} under the name of the issuer's`, (setup) =>
      forged(setup, { ...header(setup), kid: setup.issuer.key.kid }),
    ),
    refused(`${name} and no name`, (setup) => forged(setup, { ...header(setup), kid: undefined })),
  ]),
  ...injections.map((kid) =>
    refused(`names its key ${JSON.stringify(kid.slice(0, 30))}`, (setup) => forged(setup, { kid })),
  ),
  ...[7, null, true, {}, [], ['first']].map((kid) =>
    refused(`names its key ${JSON.stringify(kid)}, which is no string`, (setup) =>
      named(setup, kid),
    ),
  ),
  refused("names the issuer's key in upper case", (setup) =>
    named(setup, setup.issuer.key.kid.toUpperCase()),
  ),
  refused("names the issuer's key in a list", (setup) => named(setup, [setup.issuer.key.kid])),
  refused('is by a published key of 1024 bits', (setup) => weakly(setup, 'weak')),
  refused('is by a published key of 1024 bits, padded to 2048', (setup) => weakly(setup, 'padded')),
  refused('is by a key that is published for encryption', (setup) =>
    setup.issuer.mint({}, { kid: 'encryption' }, setup.encryption),
  ),
  refused("is the forgers' own in every way", ({ attacker, unpublished }) =>
    attacker.mint({}, {}, unpublished),
  ),
];

/** A token whose signature is good, by a key that is too short. */
export const weakly = ({ issuer, weak }: Setup, kid: 'weak' | 'padded') =>
  handMade({ alg: 'RS256', kid }, issuer.claims(), signer('RS256', weak));
