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
/**
 * The maximum number of keys with which the service tries to verify a token. With a thousand keys, verifying a forged
 * token would take about a second.
 */
const MAX_KEYS = 20;
/**
 * The form of a signed JWT: three base64url parts, separated by dots (JWS Compact Serialization, RFC 7515, section
 * 7.1). jose also accepts spaces and padding in the parts.
 */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];

/**
 * Verifies an access token, and returns its subject, client, scopes and claims. Checks the following:
 *
 * - the signature, `iss`, `exp`, `nbf` and `iat` (RFC 7519);
 * - the type of the token: `typ` (RFC 9068) and `token_use` (Amazon Cognito);
 * - `aud`, which must contain one of `audiences`. In a token without `aud`, `client_id` must be one of `audiences`, as
 *   in API Gateway's JWT authorizer;
 * - `sub`, which must be a valid identifier;
 * - `cnf`, the client certificate that the token is bound to (RFC 8705).
 *
 * @param certificate the client certificate that API Gateway has verified, in PEM; undefined without mutual TLS.
 * @throws Problem `invalid_token` if a check fails; `unavailable` if the issuer's keys cannot be fetched.
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
  // jose does not check `typ`, so `typ` may be any JSON value.
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

/**
 * Verifies a token with the issuer's key that the token's header selects. If the header selects several keys, tries up
 * to `MAX_KEYS` of them.
 */
async function verifyWithKeys(findKey: JWTVerifyGetKey, token: string, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, findKey, options);
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
    // Import all keys before the first verification starts. If a verification failed while the loop waits for an
    // import, nothing would handle the rejected promise.
    const matching = [];
    for await (const key of error) {
      if (matching.push(key) === MAX_KEYS) break;
    }
    const verifications = matching.map((key) => jwtVerify(token, key, options));
    return Promise.any(verifications).catch(({ errors }: AggregateError) => {
      // Only the verification with the signing key can fail for a reason other than an invalid signature, such as an
      // expired token. Report this other reason if there is one.
      const isOther = (cause: unknown) => !(cause instanceof JWSSignatureVerificationFailed);
      throw errors.find(isOther) ?? errors[0];
    });
  }
}

/**
 * Returns whether the sender of the request may use the token. A token without `cnf` is not bound, and anybody may use
 * it. The `cnf` of a bound token (RFC 7800) must contain the thumbprint of the request's client certificate (RFC 8705,
 * section 3.1) and nothing else.
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
 * Returns the scopes that the token grants. If the token has a `scope` claim (RFC 8693, section 4.2), only this claim
 * counts, even if it is empty. The `scp` claim counts only in a token without `scope`. Either claim may be a list, or a
 * string of names separated by spaces.
 */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const granted = scope === undefined ? scp : scope;
  if (typeof granted === 'string') return granted.split(' ');
  return Array.isArray(granted) ? granted.filter((name) => typeof name === 'string') : [];
}
