import { KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import type { CryptoKey, JWTVerifyGetKey } from 'jose';
import { JWKSMultipleMatchingKeys, JWSSignatureVerificationFailed } from 'jose/errors';
import type { TokenFault } from '../../../../functions/contract/problem.ts';
import type { Caller } from '../../../../functions/platform/invocation.ts';
import { nowInSeconds, type SigningKey, signingKey, TestIssuer } from '../../../support/issuer.ts';

/** `iss` in the tokens. The keys come from a `TestIssuer` at another address. */
export const ISSUER = 'https://issuer.example.com';
/** The test requests need `SCOPE`; `OTHER_SCOPE` belongs to another operation. */
export const SCOPE = 'jobs:write';
export const OTHER_SCOPE = 'applications:read';
/** When all tokens are issued and checked, however long the tests take. Seconds since 1970. */
export const NOW = nowInSeconds();

export type Overrides = Readonly<Record<string, unknown>>;
type Signer = (input: string) => Uint8Array;

interface Parts {
  /** Signs the token, and sets its `kid` and `alg`. By default, the issuer's own key. */
  key?: SigningKey;
  header?: Overrides;
  claims?: Overrides;
  /** Replace the whole header or the whole claims. Strings and bytes are used as they are; other values become JSON. */
  rawHeader?: unknown;
  rawClaims?: unknown;
  /** Encoding of the claims. The other parts are always base64url. */
  encoding?: 'base64' | 'base64url';
  by?: Signer;
}
/** What a row sends: a token's text, a token that differs from a valid one by `Parts`, or a whole request. */
type Made = string | Parts | { request: object };
type Make = Made | ((setup: Setup) => Made);

/** `ok`: accepted, whoever the caller is. A `TokenFault` means 401 `invalid_token`. */
export type Expected =
  | 'ok'
  | Partial<Caller>
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'no_tenant'
  | 'unusable_tenant'
  | TokenFault;

/** The name continues "a token that". */
export interface Row {
  name: string;
  expected: Expected;
  make: Make;
}

export const rows = (expected: Expected, table: Readonly<Record<string, Make>>): Row[] =>
  Object.entries(table).map(([name, make]) => ({ name, expected, make }));

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

export interface Setup {
  issuer: TestIssuer;
  rsa: SigningKey;
  /** Both have the `kid` `twin`. */
  twins: readonly [SigningKey, SigningKey];
  /** Published by the attacker only. */
  unpublished: SigningKey;
  attacker: TestIssuer;
}

/** The cast is needed because jose's type `CryptoKey` is wider than Node.js's. */
export const keyObject = (key: CryptoKey) =>
  KeyObject.from(key as Parameters<typeof KeyObject.from>[0]);

function encoded(content: unknown, encoding: 'base64' | 'base64url' = 'base64url'): string {
  const isRaw = content instanceof Uint8Array || typeof content === 'string';
  return Buffer.from(isRaw ? content : JSON.stringify(content)).toString(encoding);
}

/** `more` is JSON text. It may repeat a member, or hold a number that `JSON.stringify` never writes (`1e400`). */
export const textWith = (members: Overrides, more: string): string =>
  `${JSON.stringify(members).slice(0, -1)},${more}}`;

export const headerOf = ({ alg, kid }: SigningKey) => ({ alg, kid, typ: 'at+jwt' });
export const claimsOf = ({ issuer }: Setup, claims: Overrides = {}) =>
  issuer.claims({ iss: ISSUER, iat: NOW, exp: NOW + 600, ...claims });

export function tokenOf(setup: Setup, parts: Parts = {}): string {
  const { key = setup.issuer.key, encoding = 'base64url' } = parts;
  const signer = { key: keyObject(key.privateKey), dsaEncoding: 'ieee-p1363' } as const;
  const { by = (input) => sign('sha256', Buffer.from(input), signer) } = parts;
  const { rawHeader = { ...headerOf(key), ...parts.header } } = parts;
  const { rawClaims = claimsOf(setup, parts.claims) } = parts;
  const signed = `${encoded(rawHeader)}.${encoded(rawClaims, encoding)}`;
  return `${signed}.${encoded(by(signed))}`;
}

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

/** Stands in for verifying a token that this key signed: checks only that `findKey` finds this key. */
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
