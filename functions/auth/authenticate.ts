import type { JWTPayload } from 'jose';
import {
  insufficientScope,
  invalidToken,
  MAX_TOKEN_BYTES,
  noTenant,
  unauthenticated,
} from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import { ownValue } from '../domain/own-value.ts';
import { abortable } from '../platform/abortable.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import type { Caller, Invocation, Middleware } from '../platform/invocation.ts';
import { scopesOf, verifyAccessToken } from './access-token.ts';

/** RFC 6750, section 2.1. The scheme is case-insensitive (RFC 9110, section 11.1). */
const CREDENTIALS = /^Bearer +(\S.*)$/i;
/** Several `Authorization` headers, which API Gateway joins with commas. No bearer token contains a comma. */
const JOINED = /^Bearer .*,|, *Bearer /is;
const SINGLE_TENANT = 'default';

export function authenticate(
  scope: string,
  {
    environment,
    ...dependencies
  }: Pick<Dependencies, 'environment' | 'verifyWithIssuerKeys' | 'clock'>,
): Middleware<{ caller: Caller; signal: AbortSignal }> {
  const required = environment.scopePrefix + scope;
  const { scopeClaims, tenantClaim } = environment;
  return {
    before: async ({ event }) => {
      const token = bearerToken(event.headers?.authorization);
      const certificate = event.requestContext?.authentication?.clientCert.clientCertPem;
      const { subject, client, claims } = await abortable(
        () => verifyAccessToken(token, environment, dependencies, certificate),
        event.signal,
      );
      const tenant = tenantOf(claims, tenantClaim);
      // Set before the checks below, so that the log also names callers who are refused.
      const invocation: Invocation = event;
      invocation.caller = { subject, client, ...(tenant !== undefined && { tenant }) };
      const scopes = scopesOf(claims, scopeClaims, tenantClaim && tenant);
      if (!scopes.includes(required)) throw insufficientScope(required, scopeClaims);
      if (tenantClaim !== undefined && tenant === undefined) {
        throw noTenant(tenantClaim, ownValue(claims, tenantClaim) !== undefined);
      }
    },
  };
}

function bearerToken(header: string | undefined): string {
  if (header === undefined) throw unauthenticated();
  if (JOINED.test(header)) throw invalidToken('several');
  const token = CREDENTIALS.exec(header)?.[1];
  if (token === undefined) throw unauthenticated();
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) throw invalidToken('too_long');
  return token;
}

function tenantOf(claims: JWTPayload, claim: string | undefined): string | undefined {
  if (claim === undefined) return SINGLE_TENANT;
  const tenant = ownValue(claims, claim);
  return isIdentifier(tenant) ? tenant : undefined;
}
