import { constants, generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import type { CryptoKey } from 'jose';
import type { invalidToken } from '../../../../functions/contract/problem.ts';
import type { Caller } from '../../../../functions/runtime/invocation.ts';
import { type SigningKey, signingKey, TestIssuer } from '../../../support/issuer.ts';

/** The issuer of the tokens; its keys are those of the test issuer. */
export const ISSUER = 'https://issuer.example.com';
/** The scope that the requests need, and one of another operation. */
export const SCOPE = 'jobs:write';
export const OTHER_SCOPE = 'applications:read';

export type Members = Readonly<Record<string, unknown>>;
/** Signs the text of a token's first two parts. */
export type Signer = (input: string) => Uint8Array;

/** What a token has in place of what a proper one has. */
interface Parts {
  /** The key that signs and that the header names: the issuer's own, if there is none. */
  key?: SigningKey;
  /** Members that replace those of a proper header and of proper claims. */
  header?: Members;
  claims?: Members;
  /** The whole header and the whole claims: text and bytes as they are, everything else as JSON. */
  rawHeader?: unknown;
  rawClaims?: unknown;
  /** How the key signs, if not by its own algorithm, or what signs in its place. */
  form?: keyof typeof forms;
  by?: Signer;
}
/** A token as it is, the parts of one, or a request. */
type Made = string | Parts | { request: object };
type Make = Made | ((setup: Setup) => Made | Promise<Made>);

/** What comes of a token: the caller, a code of 401 or 403, or the detail of `invalid_token`. */
export type Expected =
  | Partial<Caller>
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'no_tenant'
  | Parameters<typeof invalidToken>[0];

/** A forged or unusual token. Its name goes on after "a token that". */
export interface Row {
  name: string;
  expected: Expected;
  make: Make;
}

/** The rows of a table of names and tokens. */
export const rows = (expected: Expected, table: Readonly<Record<string, Make>>): Row[] =>
  Object.entries(table).map(([name, make]) => ({ name, expected, make }));

/** A row for each of these values, which stands at the end of its name. */
export const each = <T>(
  name: string,
  values: readonly T[],
  make: (value: T, setup: Setup) => Made | Promise<Made>,
  expected: Expected = 'unverified',
): Row[] =>
  values.map((value) => ({
    name: `${name} ${inspect(value, { breakLength: Number.POSITIVE_INFINITY }).slice(0, 80)}`,
    expected,
    make: (setup) => make(value, setup),
  }));

/** The issuer with keys of many kinds, and an attacker with a key and a server. */
export interface Setup {
  issuer: TestIssuer;
  /** Published for RS256; `bare` is the same key published without an algorithm. */
  rsa: SigningKey;
  /** Published for encryption alone, as `encryption`. */
  encryption: SigningKey;
  /** Two keys that are published under one name, `twin`. */
  twins: readonly [SigningKey, SigningKey];
  /** By the algorithm, the private keys of what is published under the algorithm's name. */
  others: Readonly<Record<OtherAlgorithm, KeyObject>>;
  /** A key that the issuer does not publish, but the attacker. */
  unpublished: SigningKey;
  attacker: TestIssuer;
}

/** By the `alg` of a token, the hash and the form of its signature. */
const forms = {
  ES256: { hash: 'sha256', dsaEncoding: 'ieee-p1363' },
  'ES256 in DER': { hash: 'sha256', dsaEncoding: 'der' },
  RS256: { hash: 'sha256' },
  RS384: { hash: 'sha384' },
  RS512: { hash: 'sha512' },
  PS256: { hash: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  PS384: { hash: 'sha384', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 },
  ES256K: { hash: 'sha256', dsaEncoding: 'ieee-p1363', namedCurve: 'secp256k1' },
  ES384: { hash: 'sha384', dsaEncoding: 'ieee-p1363', namedCurve: 'secp384r1' },
  ES512: { hash: 'sha512', dsaEncoding: 'ieee-p1363', namedCurve: 'secp521r1' },
  EdDSA: { hash: null },
  Ed25519: { hash: null },
} as const;
type OtherAlgorithm = Exclude<keyof typeof forms, 'ES256' | 'ES256 in DER' | 'RS256'>;

/** Algorithms that no token may have, each with a key that the issuer publishes under its name. */
export const OTHER_ALGORITHMS = Object.keys(forms).slice(3) as OtherAlgorithm[];
/** A symmetric key that the issuer publishes by mistake. */
export const SECRET = 'a secret that is none, since the issuer has published it by mistake';

/** What `KeyObject.from` takes: jose's own type of the same keys is wider. */
export const keyObject = (key: CryptoKey | KeyObject) =>
  key instanceof KeyObject ? key : KeyObject.from(key as Parameters<typeof KeyObject.from>[0]);

/** Signs by a private key, whatever the key's length is. */
export function signer(alg: keyof typeof forms, key: CryptoKey | KeyObject): Signer {
  const { hash, ...options } = forms[alg];
  return (input) => sign(hash, Buffer.from(input), { key: keyObject(key), ...options });
}

export const base64url = (content: unknown): string =>
  Buffer.from(
    content instanceof Uint8Array || typeof content === 'string'
      ? content
      : JSON.stringify(content),
  ).toString('base64url');

/** The text of an object with more members before and after its own. */
export const textWith = (members: Members, after: string, before = ''): string =>
  `{${[before, JSON.stringify(members).slice(1, -1), after].filter(Boolean).join(',')}}`;

export const headerOf = ({ alg, kid }: SigningKey) => ({ alg, kid, typ: 'at+jwt' });
export const claimsOf = ({ issuer }: Setup, claims: Members = {}) =>
  issuer.claims({ iss: ISSUER, ...claims });

/** A token that is proper but for these parts. */
export function tokenOf(setup: Setup, parts: Parts = {}): string {
  const { key = setup.issuer.key } = parts;
  const { form = key.alg, by = signer(form, key.privateKey) } = parts;
  const { rawHeader = { ...headerOf(key), ...parts.header } } = parts;
  const { rawClaims = claimsOf(setup, parts.claims) } = parts;
  return seal(base64url(rawHeader), base64url(rawClaims), by);
}

/** A token of two parts that are encoded already. */
export const seal = (header: string, claims: string, by: Signer): string =>
  `${header}.${claims}.${base64url(by(`${header}.${claims}`))}`;

/** Makes the keys, publishes them and starts both servers. */
export async function createSetup(): Promise<Setup> {
  const [issuer, attacker, rsa, encryption, unpublished, ...twins] = await Promise.all([
    TestIssuer.start(),
    TestIssuer.start(),
    signingKey('RS256'),
    signingKey('RS256'),
    signingKey(),
    signingKey(),
    signingKey(),
  ]);
  attacker.published = [unpublished.jwk];
  const pairs = OTHER_ALGORITHMS.map((alg) => [alg, pairOf(alg, rsa)] as const);
  issuer.published.push(
    rsa.jwk,
    { ...rsa.jwk, kid: 'bare', alg: undefined },
    { ...encryption.jwk, kid: 'encryption', use: 'enc' },
    ...twins.map(({ jwk }) => ({ ...jwk, kid: 'twin' })),
    ...pairs.map(([alg, { jwk }]) => ({ ...jwk, kid: alg, alg })),
    { kty: 'oct', kid: 'secret', alg: 'HS256', k: base64url(SECRET) },
  );
  const others = Object.fromEntries(pairs.map(([alg, { key }]) => [alg, key])) as Setup['others'];
  return { issuer, attacker, rsa, encryption, unpublished, twins, others };
}

function pairOf(alg: OtherAlgorithm, { privateKey, jwk }: SigningKey) {
  const form = forms[alg];
  if (!('namedCurve' in form) && form.hash !== null) return { key: keyObject(privateKey), jwk };
  const pair =
    'namedCurve' in form ? generateKeyPairSync('ec', form) : generateKeyPairSync('ed25519');
  return { key: pair.privateKey, jwk: pair.publicKey.export({ format: 'jwk' }) };
}
