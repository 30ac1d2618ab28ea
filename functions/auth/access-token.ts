import { hash, X509Certificate } from 'node:crypto';
import {
  decodeJwt,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import {
  JOSEAlgNotAllowed,
  JOSEError,
  JOSENotSupported,
  JWKSMultipleMatchingKeys,
  JWKSNoMatchingKey,
  JWSInvalid,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
  JWTInvalid,
} from 'jose/errors';
import { invalidToken, isTokenFault, Problem, type TokenFault } from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import { isObject } from '../domain/own-value.ts';
import { MAX_EPOCH_SECONDS } from '../domain/timestamp.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import type { Environment } from '../platform/environment.ts';
import { plainAddress } from '../platform/log.ts';

const ALGORITHMS = ['RS256', 'ES256'];
const CLOCK_TOLERANCE_S = 30;
/** Keys tried per token. With a thousand, refusing a forged token without `kid` would take about a second. */
const MAX_KEYS = 20;
/** RFC 7515, section 7.1. Stricter than jose, which accepts spaces and padding in the parts. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];
/** In order of precedence: from RFC 9068, OpenID Connect, Entra ID v1, Okta. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'appid', 'cid'];

type Rules = Pick<Environment, 'issuer' | 'audiences'>;

/**
 * @param certificate the client's, in PEM, verified by API Gateway; undefined without mutual TLS.
 * @throws Problem `invalid_token` with the first fault found; `unavailable` if the issuer's keys cannot be fetched.
 */
export async function verifyAccessToken(
  token: string,
  rules: Rules,
  { verifyWithIssuerKeys, clock }: Pick<Dependencies, 'verifyWithIssuerKeys' | 'clock'>,
  certificate: string | undefined,
) {
  const now = clock().date;
  const { protectedHeader, payload } = await verifyJwt(token, rules, verifyWithIssuerKeys, now);
  const { exp, iat, token_use: use = 'access' } = payload;
  // jose has checked that `iat` and `exp` are numbers, but accepts an `iat` in the future.
  if (Number(iat) > now / 1000 + CLOCK_TOLERANCE_S) throw invalidToken('not_yet_valid');
  if (Number(exp) > MAX_EPOCH_SECONDS) throw invalidToken('invalid_exp');
  // jose does not check `typ`, so it may be any JSON value. `token_use` is Amazon Cognito's.
  const { typ = 'jwt' } = protectedHeader;
  const isOfType = typeof typ === 'string' && TYPES.includes(typ.toLowerCase());
  if (isIdToken(payload)) throw invalidToken('id_token');
  if (!isOfType || use !== 'access') throw invalidToken('other_type');
  checkParties(payload, rules);
  const client = CLIENT_CLAIMS.map((name) => payload[name]).find(isIdentifier);
  // An access token names its client (RFC 9068, section 2.2), so this may be an ID token without a mark.
  if (client === undefined && !hasScopes(payload)) throw invalidToken('missing_client');
  // Duende's and PingOne's machine tokens lack `sub`, although RFC 9068 requires it.
  const { sub: subject = client } = payload;
  if (subject === undefined) throw invalidToken('missing_sub');
  if (!isIdentifier(subject)) throw invalidToken('invalid_sub');
  if (!provesPossession(payload, certificate)) throw invalidToken('bound');
  return { subject, client, claims: payload };
}

async function verifyJwt(
  token: string,
  rules: Rules,
  verifyWithIssuerKeys: Dependencies['verifyWithIssuerKeys'],
  now: number,
) {
  const options = {
    issuer: rules.issuer,
    currentDate: new Date(now),
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'iat'],
    clockTolerance: CLOCK_TOLERANCE_S,
  };
  if (!COMPACT.test(token)) throw invalidToken('not_signed_jwt');
  try {
    return await verifyWithIssuerKeys((findKey) =>
      verifyWithKeys(findKey, token, options).catch((error) => {
        // If the issuer or audience is not ours, throw that fault instead of `error`: newer keys would not help.
        // Unverified claims may get a token refused, but never accepted.
        checkParties(decodeJwt(token), rules);
        throw error;
      }),
    );
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw invalidToken(faultOf(cause), { cause });
  }
}

async function verifyWithKeys(findKey: JWTVerifyGetKey, token: string, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, findKey, options);
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
    // Import all keys before verifying: a verification that failed during a later import would be an unhandled
    // rejection.
    const matching = [];
    for await (const key of error) {
      if (matching.push(key) === MAX_KEYS) break;
    }
    const verifications = matching.map((key) => jwtVerify(token, key, options));
    return Promise.any(verifications).catch(({ errors }: AggregateError) => {
      // Prefer an error that is not about the signature, such as an expired token: it comes from the key that signed
      // the token.
      const isOther = (cause: unknown) => !(cause instanceof JWSSignatureVerificationFailed);
      throw errors.find(isOther) ?? errors[0];
    });
  }
}

const FAULTS: Readonly<Record<string, TokenFault>> = {
  [JWSInvalid.code]: 'not_signed_jwt',
  [JWTInvalid.code]: 'not_signed_jwt',
  [JOSEAlgNotAllowed.code]: 'other_algorithm',
  [JOSENotSupported.code]: 'unsupported_extension',
  [JWKSNoMatchingKey.code]: 'unknown_key',
  [JWTExpired.code]: 'expired',
};

function faultOf(error: unknown): TokenFault {
  if (error instanceof JWTClaimValidationFailed) {
    const fault = `${error.reason}_${error.claim}`;
    // `missing_exp`, `invalid_nbf` and the like are names of faults; only `check_failed_nbf` is not. `check_failed_iss`
    // cannot occur: `checkParties` has already refused such a token.
    return isTokenFault(fault) ? fault : 'not_yet_valid';
  }
  const fault = error instanceof JOSEError ? FAULTS[error.code] : undefined;
  return fault ?? 'bad_signature';
}

/**
 * Looks for the marks that OpenID Connect, Cognito, Keycloak and FusionAuth put into ID tokens (RFC 8725, section
 * 3.12). `nonce` counts only without scopes: Keycloak before version 25 and Azure AD B2C put it into access tokens too.
 */
function isIdToken(claims: JWTPayload): boolean {
  const { at_hash, c_hash, nonce, token_use, typ, tty } = claims;
  const hasHash = at_hash !== undefined || c_hash !== undefined;
  const hasOnlyNonce = nonce !== undefined && !hasScopes(claims);
  return hasHash || hasOnlyNonce || token_use === 'id' || typ === 'ID' || tty === 'id';
}

/** True even for an empty list: ID tokens have no list at all. */
const hasScopes = ({ scope, scp }: JWTPayload) => (scope ?? scp ?? undefined) !== undefined;

/** Without `aud` (Amazon Cognito), `client_id` is the audience, as in API Gateway's JWT authorizer. */
function checkParties({ iss, aud, client_id: client }: JWTPayload, rules: Rules): void {
  if (iss === undefined) throw invalidToken('missing_iss');
  if (iss !== rules.issuer) throw invalidToken('other_issuer', { issuer: plainAddress(iss) });
  if (aud === undefined && client === undefined) throw invalidToken('missing_aud');
  const named = aud === undefined ? [client] : [aud].flat();
  const accepted: readonly unknown[] = rules.audiences;
  if (!named.some((audience) => accepted.includes(audience))) throw invalidToken('other_audience');
}

/**
 * Without `cnf` (RFC 7800), no proof is needed. Otherwise, it must name the request's client certificate (RFC 8705,
 * section 3.1) and nothing else.
 */
function provesPossession({ cnf }: JWTPayload, certificate: string | undefined): boolean {
  if (cnf === undefined || certificate === undefined) return cnf === undefined;
  const thumbprint = hash('sha256', new X509Certificate(certificate).raw, 'base64url');
  return JSON.stringify(cnf) === JSON.stringify({ 'x5t#S256': thumbprint });
}

/**
 * Reads only the first claim in `names` that the token has, even if it is empty. Zitadel's claim holds roles, which
 * count as the scopes: `{ ROLE: { ORGANIZATION_ID: … } }`.
 * @param tenant if set, only roles granted in this organization count.
 */
export function scopesOf(
  claims: JWTPayload,
  names: readonly string[],
  tenant: string | undefined,
): string[] {
  const deciding = names.find((name) => Object.hasOwn(claims, name));
  const granted = deciding === undefined ? undefined : claims[deciding];
  if (typeof granted === 'string') return granted.split(' ');
  if (Array.isArray(granted)) return granted.filter((name) => typeof name === 'string');
  if (!isObject(granted)) return [];
  return Object.keys(granted).filter((name) => {
    const organizations = isObject(granted[name]) ? Object.keys(granted[name]) : [];
    return tenant === undefined ? organizations.length > 0 : organizations.includes(tenant);
  });
}
