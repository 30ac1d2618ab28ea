import { KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import type { CryptoKey, JWTVerifyGetKey } from 'jose';
import { JWKSMultipleMatchingKeys, JWSSignatureVerificationFailed } from 'jose/errors';
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
type Signer = (input: string) => Uint8Array;

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
  /** The encoding of the claims. */
  encoding?: 'base64' | 'base64url';
  /** What signs in place of the key. */
  by?: Signer;
}
/** A token as it is, the parts of one, or a request. */
type Made = string | Parts | { request: object };
type Make = Made | ((setup: Setup) => Made);

/** What comes of a token: a caller, perhaps of these members, a code of 401 or 403, or the detail of `invalid_token`. */
export type Expected =
  | 'ok'
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
  make: (value: T, setup: Setup) => Made,
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
  /** Published for RS256. */
  rsa: SigningKey;
  /** Two keys that are published under one name, `twin`. */
  twins: readonly [SigningKey, SigningKey];
  /** A key that the issuer does not publish, but the attacker. */
  unpublished: SigningKey;
  attacker: TestIssuer;
}

/** What `KeyObject.from` takes: jose's own type of the same keys is wider. */
export const keyObject = (key: CryptoKey) =>
  KeyObject.from(key as Parameters<typeof KeyObject.from>[0]);

function encoded(content: unknown, encoding: 'base64' | 'base64url' = 'base64url'): string {
  const isRaw = content instanceof Uint8Array || typeof content === 'string';
  return Buffer.from(isRaw ? content : JSON.stringify(content)).toString(encoding);
}

/** The text of an object with more members after its own. */
export const textWith = (members: Members, more: string): string =>
  `${JSON.stringify(members).slice(0, -1)},${more}}`;

export const headerOf = ({ alg, kid }: SigningKey) => ({ alg, kid, typ: 'at+jwt' });
export const claimsOf = ({ issuer }: Setup, claims: Members = {}) =>
  issuer.claims({ iss: ISSUER, ...claims });

/** A token that is proper but for these parts. */
export function tokenOf(setup: Setup, parts: Parts = {}): string {
  const { key = setup.issuer.key, encoding = 'base64url' } = parts;
  const signer = { key: keyObject(key.privateKey), dsaEncoding: 'ieee-p1363' } as const;
  const { by = (input) => sign('sha256', Buffer.from(input), signer) } = parts;
  const { rawHeader = { ...headerOf(key), ...parts.header } } = parts;
  const { rawClaims = claimsOf(setup, parts.claims) } = parts;
  const signed = `${encoded(rawHeader)}.${encoded(rawClaims, encoding)}`;
  return `${signed}.${encoded(by(signed))}`;
}

/** Makes the keys, publishes them and starts both servers. */
export async function createSetup(): Promise<Setup> {
  const [issuer, attacker, rsa, unpublished, ...twins] = await Promise.all([
    TestIssuer.start(),
    TestIssuer.start(),
    signingKey('RS256'),
    signingKey(),
    signingKey(),
    signingKey(),
  ]);
  attacker.published = [unpublished.jwk];
  issuer.published.push(rsa.jwk, ...twins.map(({ jwk }) => ({ ...jwk, kid: 'twin' })));
  return { issuer, attacker, rsa, unpublished, twins };
}

/** Verifies a token by `key` that names `kid`, as the service does, but only by which keys are found. */
export const signedBy =
  ({ alg, publicKey }: Pick<SigningKey, 'alg' | 'publicKey'>, kid?: string) =>
  async (findKey: JWTVerifyGetKey): Promise<void> => {
    const found: unknown[] = [];
    try {
      found.push(await findKey({ alg, ...(kid && { kid }) }, { payload: '', signature: '' }));
    } catch (error) {
      if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error) found.push(key);
    }
    const isSigner = (key: unknown) =>
      key instanceof CryptoKey && KeyObject.from(key).equals(keyObject(publicKey));
    if (!found.some(isSigner)) throw new JWSSignatureVerificationFailed();
  };
