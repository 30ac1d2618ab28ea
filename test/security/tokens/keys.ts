import type { SigningKey } from '../../support/issuer.ts';
import { handMade, keyObject, signer } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import { headerOf, type Kit, own } from './setup.ts';

type Members = Readonly<Record<string, unknown>>;

/** A token of the forgers' own key, which tells the service where to find it. */
const forged = ({ issuer, stranger }: Kit, header: Members) => issuer.mint({}, header, stranger);

/** A token that is signed by the issuer really, but for the name of its key. */
const named = ({ issuer }: Kit, kid: unknown) =>
  handMade(headerOf(issuer.key, { kid }), issuer.claims(), own(issuer));

const derOf = ({ publicKey }: SigningKey) =>
  keyObject(publicKey).export({ type: 'spki', format: 'der' }).toString('base64');

/** The ways in which a header can bring a key along (RFC 7515, section 4.1). */
const brought: Record<string, (kit: Kit) => Members> = {
  'brings its own key (jwk)': ({ stranger }) => ({ jwk: stranger.jwk }),
  "names the address of the forgers' keys (jku)": ({ attacker }) => ({
    jku: `${attacker.url}/jwks`,
  }),
  "names the forgers' keys below the issuer's address (jku)": ({ issuer, attacker }) => ({
    jku: `${issuer.url}@${attacker.url.replace('http://', '')}/jwks`,
  }),
  "names the address of the forgers' certificate (x5u)": ({ attacker }) => ({ x5u: attacker.url }),
  'brings a chain of certificates (x5c)': ({ stranger }) => ({ x5c: [derOf(stranger)] }),
  'brings all of them': ({ stranger, attacker }) => ({
    jwk: stranger.jwk,
    jku: `${attacker.url}/jwks`,
    x5u: `${attacker.url}/x5u`,
    x5c: [derOf(stranger)],
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
  accepted('is by the first of two keys of one name', 'the issuer publishes both', (kit) =>
    kit.issuer.mint({}, { kid: 'twin' }, kit.twins[0]),
  ),
  accepted('is by the second of two keys of one name', 'the issuer publishes both', (kit) =>
    kit.issuer.mint({}, { kid: 'twin' }, kit.twins[1]),
  ),
  accepted("names the forgers' keys and is the issuer's", 'what it names is not read', (kit) =>
    kit.issuer.mint({}, { jku: `${kit.attacker.url}/jwks`, jwk: kit.stranger.jwk }),
  ),
  refused('is by a key that nobody publishes', (kit) => forged(kit, {})),
  refused('is by such a key and names none', (kit) => forged(kit, { kid: undefined })),
  refused("is by such a key and names the issuer's", (kit) =>
    forged(kit, { kid: kit.issuer.key.kid }),
  ),
  refused('is by such a key and names two of one name', (kit) => forged(kit, { kid: 'twin' })),
  ...Object.entries(brought).flatMap(([name, header]) => [
    refused(name, (kit) => forged(kit, header(kit))),
    refused(`${name} under the name of the issuer's`, (kit) =>
      forged(kit, { ...header(kit), kid: kit.issuer.key.kid }),
    ),
    refused(`${name} and no name`, (kit) => forged(kit, { ...header(kit), kid: undefined })),
  ]),
  ...injections.map((kid) =>
    refused(`names its key ${JSON.stringify(kid.slice(0, 30))}`, (kit) => forged(kit, { kid })),
  ),
  ...[7, null, true, {}, [], ['first']].map((kid) =>
    refused(`names its key ${JSON.stringify(kid)}, which is no string`, (kit) => named(kit, kid)),
  ),
  refused("names the issuer's key in upper case", (kit) =>
    named(kit, kit.issuer.key.kid.toUpperCase()),
  ),
  refused("names the issuer's key in a list", (kit) => named(kit, [kit.issuer.key.kid])),
  refused('is by a published key of 1024 bits', (kit) => weakly(kit, 'weak')),
  refused('is by a published key of 1024 bits, padded to 2048', (kit) => weakly(kit, 'padded')),
  refused('is by a key that is published for encryption', (kit) =>
    kit.issuer.mint({}, { kid: 'encryption' }, kit.encryption),
  ),
  refused("is the forgers' own in every way", ({ attacker, stranger }) =>
    attacker.mint({}, {}, stranger),
  ),
];

/** A token whose signature is good, by a key that is too short. */
export const weakly = ({ issuer, weak }: Kit, kid: 'weak' | 'padded') =>
  handMade({ alg: 'RS256', kid }, issuer.claims(), signer('RS256', weak));
