import type { JWTPayload } from 'jose';
import {
  insufficientScope,
  invalidToken,
  noTenant,
  TOKEN_LIMIT_BYTES,
  unauthenticated,
} from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import { ownValue } from '../domain/record.ts';
import { withinTime } from '../runtime/abort.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import type { Caller, Invocation, Middleware } from '../runtime/invocation.ts';
import { verifyAccessToken } from './access-token.ts';

/** RFC 6750, section 2.1, with the scheme in any case (RFC 9110, section 11.1). */
const CREDENTIALS = /^Bearer +(\S.*)$/i;
const SINGLE_TENANT = 'default';

/**
 * Requires a bearer token that is valid, has the scope and names a tenant, and puts the caller on the
 * invocation, whose signal limits the time that this takes. Rejects other requests with the challenge of
 * RFC 6750, section 3.
 *
 *     .use(authenticate(getApplication.scope, dependencies))
 *     .handler(({ caller }) => store.get(caller.tenant, id))
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
      // Partial here, complete after the two checks: the log names the caller of a rejected request too.
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
  if (Buffer.byteLength(token) > TOKEN_LIMIT_BYTES) throw invalidToken('tooLong');
  return token;
}

function tenantOf(claims: JWTPayload, claim: string | undefined): string | undefined {
  if (claim === undefined) return SINGLE_TENANT;
  const tenant = ownValue(claims, claim);
  return isIdentifier(tenant) ? tenant : undefined;
}
