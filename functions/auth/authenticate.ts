import type { JWTPayload } from 'jose';
import {
  insufficientScope,
  invalidToken,
  MAX_TOKEN_BYTES,
  noTenant,
  unauthenticated,
} from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import { ownValue } from '../domain/object.ts';
import { withinTime } from '../runtime/abort.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import type { Caller, Invocation, Middleware } from '../runtime/invocation.ts';
import { verifyAccessToken } from './access-token.ts';

/**
 * An `Authorization` header with a bearer token (RFC 6750, section 2.1). The scheme `Bearer` is case-insensitive (RFC
 * 9110, section 11.1).
 */
const CREDENTIALS = /^Bearer +(\S.*)$/i;
/** The tenant of every caller if the environment variable `TENANT_CLAIM` is not set. */
const SINGLE_TENANT = 'default';

/**
 * Requires a bearer token that is valid, has the scope and names a tenant. Rejects any other request with a
 * `WWW-Authenticate` challenge (RFC 6750, section 3). Adds the caller to the invocation. The invocation's `signal`
 * limits the time for verifying the token.
 *
 *     .use(authenticate(getApplication.scope, dependencies))
 *     .handler(async ({ caller, signal }) => { … })
 */
export function authenticate(
  scope: string,
  { environment, ...dependencies }: Pick<Dependencies, 'environment' | 'withKeys' | 'clock'>,
): Middleware<{ caller: Caller; signal: AbortSignal }> {
  const required = environment.scopePrefix + scope;
  return {
    before: async ({ event }) => {
      const token = bearerToken(event.headers?.authorization);
      const certificate = event.requestContext?.authentication?.clientCert.clientCertPem;
      const { subject, client, scopes, claims } = await withinTime(
        () => verifyAccessToken(token, environment, dependencies, certificate),
        event.signal,
      );
      const tenant = tenantOf(claims, environment.tenantClaim);
      // Set the caller before the two checks below. The log then names the caller even if one of the checks rejects the
      // request.
      const invocation: Invocation = event;
      invocation.caller = { subject, client, ...(tenant !== undefined && { tenant }) };
      if (!scopes.includes(required)) throw insufficientScope(required);
      if (tenant === undefined) throw noTenant(required);
    },
  };
}

function bearerToken(header: string | undefined): string {
  const token = header === undefined ? undefined : CREDENTIALS.exec(header)?.[1];
  if (token === undefined) throw unauthenticated();
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) throw invalidToken('tooLong');
  return token;
}

function tenantOf(claims: JWTPayload, claim: string | undefined): string | undefined {
  if (claim === undefined) return SINGLE_TENANT;
  const tenant = ownValue(claims, claim);
  return isIdentifier(tenant) ? tenant : undefined;
}
