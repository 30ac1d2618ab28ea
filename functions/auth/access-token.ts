import { hash, X509Certificate } from 'node:crypto';
import { type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import {
  JWKSMultipleMatchingKeys,
  JWSInvalid,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
} from 'jose/errors';
import { invalidToken, Problem } from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import { LAST_SECOND } from '../domain/timestamp.ts';
import type { Dependencies } from '../runtime/dependencies.ts';

const ALGORITHMS = ['RS256', 'ES256'];
const CLOCK_TOLERANCE_S = 30;
/** The maximum number of keys with which a token is verified. With a thousand keys, each forged token would take a second. */
const MAX_KEYS = 20;
/** The characters of a JWS Compact Serialization (RFC 7515, section 7.1). jose also accepts spaces and padding. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];

/**
 * Verifies an access token, and returns its caller, scopes and claims. Checks
 *
 * - the signature, `iss`, `exp`, `nbf` and `iat` (RFC 7519);
 * - `typ` (RFC 9068);
 * - `cnf`, the client certificate that the token is bound to (RFC 8705);
 * - `aud`, which must contain one of `audiences`. In a token without `aud`, `client_id` must be one of
 *   `audiences`. API Gateway's JWT authorizer documents the same rule.
 *
 * @param certificate the client certificate that API Gateway has verified, in PEM.
 * @throws Problem `invalid_token`; `unavailable` if the issuer's keys cannot be fetched.
 */
export async function verifyAccessToken(
  token: string,
  { issuer, audiences }: { issuer: string; audiences: readonly string[] },
  { withKeys, clock }: Pick<Dependencies, 'withKeys' | 'clock'>,
  certificate: string | undefined,
) {
  const now = clock().date;
  const expected = { issuer, currentDate: new Date(now) };
  const { protectedHeader, payload } = await verifyJwt(token, withKeys, expected);
  const { sub: subject, exp, iat, token_use: use = 'access' } = payload;
  // jose has checked that `iat` and `exp` are numbers, but accepts an `iat` in the future.
  if (Number(iat) > now / 1000 + CLOCK_TOLERANCE_S) throw invalidToken('unverified');
  if (Number(exp) > LAST_SECOND) throw invalidToken('invalidExpiry');
  // jose does not check `typ`. A header may have any JSON value as its `typ`.
  const { typ = 'jwt' } = protectedHeader;
  const isOfType = typeof typ === 'string' && TYPES.includes(typ.toLowerCase());
  if (!isOfType || use !== 'access') throw invalidToken('otherType');
  if (!isForAudience(payload, audiences)) throw invalidToken('otherAudience');
  if (!isIdentifier(subject)) throw invalidToken('invalidSubject');
  if (!isProven(payload, certificate)) throw invalidToken('bound');
  const client = payload.client_id ?? payload.azp;
  return {
    subject,
    client: isIdentifier(client) ? client : undefined,
    scopes: scopesOf(payload),
    claims: payload,
  };
}

type WithKeys = Dependencies['withKeys'];
async function verifyJwt(token: string, withKeys: WithKeys, expected: JWTVerifyOptions) {
  const options = {
    ...expected,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'iat', 'sub'],
    clockTolerance: CLOCK_TOLERANCE_S,
  };
  try {
    if (!COMPACT.test(token)) throw new JWSInvalid('Characters other than those of base64url.');
    return await withKeys((findKey) => verifyWithKeys(findKey, token, options));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    if (cause instanceof JWTExpired) throw invalidToken('expired', cause);
    const isIncomplete = cause instanceof JWTClaimValidationFailed && cause.reason === 'missing';
    throw invalidToken(isIncomplete ? 'incomplete' : 'unverified', cause);
  }
}

/** Verifies a token with the key that its header selects. If several keys match, tries up to `MAX_KEYS` keys. */
async function verifyWithKeys(findKey: JWTVerifyGetKey, token: string, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, findKey, options);
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
    // Import all keys before the first verification. A verification that failed during an import would be an
    // unhandled rejection.
    const matching = [];
    for await (const key of error) {
      if (matching.push(key) === MAX_KEYS) break;
    }
    const verifications = matching.map((key) => jwtVerify(token, key, options));
    return Promise.any(verifications).catch(({ errors }: AggregateError) => {
      // Only the verification with the signing key can fail for a reason other than the signature, such as an
      // expired token. Report this reason.
      const isOther = (cause: unknown) => !(cause instanceof JWSSignatureVerificationFailed);
      throw errors.find(isOther) ?? errors[0];
    });
  }
}

/**
 * Returns whether the client of the request may use the token. Any client may use a token without `cnf`. The `cnf`
 * of a bound token (RFC 7800) must name the client's certificate (RFC 8705, section 3.1) and nothing else.
 */
function isProven({ cnf }: JWTPayload, certificate: string | undefined): boolean {
  if (cnf === undefined || certificate === undefined) return cnf === undefined;
  const thumbprint = hash('sha256', new X509Certificate(certificate).raw, 'base64url');
  return JSON.stringify(cnf) === JSON.stringify({ 'x5t#S256': thumbprint });
}

function isForAudience({ aud, client_id: id }: JWTPayload, audiences: readonly unknown[]): boolean {
  const named = aud === undefined ? [id] : [aud].flat();
  return named.some((audience) => audiences.includes(audience));
}

/**
 * Returns the scopes of the `scope` claim (RFC 8693, section 4.2). Reads `scp` only if the token has no `scope`
 * claim. An empty `scope` counts as present. Either claim is a list, or a string of names separated by spaces.
 */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const granted = scope === undefined ? scp : scope;
  if (typeof granted === 'string') return granted.split(' ');
  return Array.isArray(granted) ? granted.filter((name) => typeof name === 'string') : [];
}
