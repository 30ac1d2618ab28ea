import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type SigningKey, signingKey, TestIssuer } from '../../../support/issuer.ts';
import { type HandAlgorithm, handMade, keyObject, type Signer, signer } from './jws.ts';

type Members = Readonly<Record<string, unknown>>;

/** Algorithms that no token may have, each with a key that the issuer publishes under its name. */
export const OTHER_ALGORITHMS = [
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'ES256K',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const satisfies HandAlgorithm[];
export type OtherAlgorithm = (typeof OTHER_ALGORITHMS)[number];

const curves: Readonly<Record<string, string>> = {
  ES256K: 'secp256k1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};
/** A symmetric key that the issuer publishes by mistake. */
export const SECRET = 'a secret that is none, since the issuer has published it by mistake';

/** What the rows make their tokens of: the issuer, its keys of many kinds, and an attacker with a key and a server. */
export interface Setup {
  issuer: TestIssuer;
  /** Published for RS256; `bare` is the same key published without an algorithm. */
  rsa: SigningKey;
  /** Published, but of 1024 bits: as `weak`, and as `padded` with zeros before its modulus. */
  weak: KeyObject;
  /** Published for encryption alone, as `encryption`. */
  encryption: SigningKey;
  /** Two keys that are published under one name, `twin`. */
  twins: SigningKey[];
  /** By the algorithm, the private keys of what is published under the algorithm's name. */
  others: Readonly<Record<OtherAlgorithm, KeyObject>>;
  /** A key that the issuer does not publish. */
  unpublished: SigningKey;
  /** The attacker's server, which publishes `unpublished`. The service must never send it a request. */
  attacker: TestIssuer;
}

/** Makes the keys, publishes them and starts the attacker's server. */
export async function createSetup(issuer: TestIssuer): Promise<Setup> {
  const [attacker, rsa, encryption, unpublished, ...twins] = await Promise.all([
    TestIssuer.start(),
    signingKey('RS256'),
    signingKey('RS256'),
    signingKey(),
    signingKey(),
    signingKey(),
  ]);
  attacker.published = [unpublished.jwk];
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const weakJwk = weak.publicKey.export({ format: 'jwk' });
  const long = Buffer.concat([Buffer.alloc(128), Buffer.from(weakJwk.n ?? '', 'base64url')]);
  const pairs = OTHER_ALGORITHMS.map((alg) => ({ alg, ...pairOf(alg, rsa) }));
  issuer.published.push(
    rsa.jwk,
    { ...rsa.jwk, kid: 'bare', alg: undefined },
    { ...encryption.jwk, kid: 'encryption', use: 'enc' },
    { ...weakJwk, kid: 'weak' },
    { ...weakJwk, kid: 'padded', n: long.toString('base64url') },
    ...twins.map(({ jwk }) => ({ ...jwk, kid: 'twin' })),
    ...pairs.map(({ alg, jwk }) => ({ ...jwk, kid: alg, alg })),
    { kty: 'oct', kid: 'secret', alg: 'HS256', k: Buffer.from(SECRET).toString('base64url') },
  );
  const others = Object.fromEntries(
    pairs.map(({ alg, privateKey }) => [alg, privateKey]),
  ) as Setup['others'];
  return { issuer, rsa, weak: weak.privateKey, encryption, twins, others, unpublished, attacker };
}

function pairOf(alg: OtherAlgorithm, { privateKey, jwk }: SigningKey) {
  if (alg.startsWith('RS') || alg.startsWith('PS')) {
    return { privateKey: keyObject(privateKey), jwk };
  }
  const pair = alg.startsWith('Ed')
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: curves[alg] ?? '' });
  return { privateKey: pair.privateKey, jwk: pair.publicKey.export({ format: 'jwk' }) };
}

/** The header of a proper token of this key, with these members replaced. */
export const headerOf = ({ alg, kid }: SigningKey, overrides: Members = {}) => ({
  alg,
  kid,
  typ: 'at+jwt',
  ...overrides,
});

/** A token of the issuer, whose header or payload may be any text; with a valid signature. */
export const signed = ({ issuer }: Setup, header: unknown, payload: unknown) =>
  handMade(header, payload, own(issuer));

/** The signature of the issuer's own key. */
export const own = ({ key }: TestIssuer): Signer => signer(key.alg, key.privateKey);

/** A proper token whose signature is another's; of ES256 or of RS256. */
export const sealedBy = ({ issuer }: Setup, by: Signer, key: SigningKey = issuer.key) =>
  handMade(headerOf(key), issuer.claims(), by);

/** The text of proper claims, and more members after them. */
export function claimsText({ issuer }: Setup, more: string, overrides: Members = {}): string {
  return `${JSON.stringify(issuer.claims(overrides)).slice(0, -1)},${more}}`;
}
