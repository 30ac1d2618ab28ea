import { KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import type { CryptoKey, JWTVerifyGetKey } from 'jose';
import { JWKSMultipleMatchingKeys, JWSSignatureVerificationFailed } from 'jose/errors';
import type { TokenFault } from '../../../../functions/contract/problem.ts';
import type { Caller } from '../../../../functions/platform/invocation.ts';
import { type SigningKey, signingKey, TestIssuer } from '../../../support/issuer.ts';

/** The issuer of the tokens. It has the keys of the test issuer. */
export const ISSUER = 'https://issuer.example.com';
/** The scope that the requests need, and the scope of another operation. */
export const SCOPE = 'jobs:write';
export const OTHER_SCOPE = 'applications:read';

export type Overrides = Readonly<Record<string, unknown>>;
/** A function that signs the text of a token's first two parts. */
type Signer = (input: string) => Uint8Array;

/** The parts in which a token differs from a valid token. */
interface Parts {
  /** The key that signs the token and that the header names; by default the issuer's own key. */
  key?: SigningKey;
  /** Members that replace members of a valid header and of valid claims. */
  header?: Overrides;
  claims?: Overrides;
  /** The whole header and the whole claims. Texts and bytes stay unchanged, and other values become JSON. */
  rawHeader?: unknown;
  rawClaims?: unknown;
  /** The encoding of the claims. */
  encoding?: 'base64' | 'base64url';
  /** The signer that replaces the key. */
  by?: Signer;
}
/** The text of a token, its parts, or a whole request. */
type Made = string | Parts | { request: object };
type Make = Made | ((setup: Setup) => Made);

/** A caller with these members, a code of 401 or 403, or the fault of an `invalid_token`. */
export type Expected =
  | 'ok'
  | Partial<Caller>
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'no_tenant'
  | TokenFault;

/** A forged or unusual token. Its name follows the words "a token that". */
export interface Row {
  name: string;
  expected: Expected;
  make: Make;
}

/** Returns the rows of a table of names and tokens. */
export const rows = (expected: Expected, table: Readonly<Record<string, Make>>): Row[] =>
  Object.entries(table).map(([name, make]) => ({ name, expected, make }));

/** Returns a row for each value. The row's name ends with the value. */
export const each = <T>(
  name: string,
  values: readonly T[],
  make: (value: T, setup: Setup) => Made,
  expected: Expected,
): Row[] =>
  values.map((value) => ({
    name: `${name} ${inspect(value, { breakLength: Number.POSITIVE_INFINITY }).slice(0, 80)}`,
    expected,
    make: (setup) => make(value, setup),
  }));

/** The issuer with keys of many kinds, and an attacker with a key and a server. */
export interface Setup {
  issuer: TestIssuer;
  /** A published key for RS256. */
  rsa: SigningKey;
  /** Two published keys with the same `kid`, `twin`. */
  twins: readonly [SigningKey, SigningKey];
  /** A key that only the attacker publishes. */
  unpublished: SigningKey;
  attacker: TestIssuer;
}

/** Converts a key for `node:crypto`. The cast is necessary because jose's type of the same keys is wider. */
export const keyObject = (key: CryptoKey) =>
  KeyObject.from(key as Parameters<typeof KeyObject.from>[0]);

function encoded(content: unknown, encoding: 'base64' | 'base64url' = 'base64url'): string {
  const isRaw = content instanceof Uint8Array || typeof content === 'string';
  return Buffer.from(isRaw ? content : JSON.stringify(content)).toString(encoding);
}

/** Returns the JSON of an object, with additional members at its end. */
export const textWith = (members: Overrides, more: string): string =>
  `${JSON.stringify(members).slice(0, -1)},${more}}`;

export const headerOf = ({ alg, kid }: SigningKey) => ({ alg, kid, typ: 'at+jwt' });
export const claimsOf = ({ issuer }: Setup, claims: Overrides = {}) =>
  issuer.claims({ iss: ISSUER, ...claims });

/** Returns a token that is valid except for these parts. */
export function tokenOf(setup: Setup, parts: Parts = {}): string {
  const { key = setup.issuer.key, encoding = 'base64url' } = parts;
  const signer = { key: keyObject(key.privateKey), dsaEncoding: 'ieee-p1363' } as const;
  const { by = (input) => sign('sha256', Buffer.from(input), signer) } = parts;
  const { rawHeader = { ...headerOf(key), ...parts.header } } = parts;
  const { rawClaims = claimsOf(setup, parts.claims) } = parts;
  const signed = `${encoded(rawHeader)}.${encoded(rawClaims, encoding)}`;
  return `${signed}.${encoded(by(signed))}`;
}

/** Creates and publishes the keys, and starts both servers. */
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

/** Returns a stand-in for the verification of a token signed with a key. It checks only which keys `findKey` finds. */
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
