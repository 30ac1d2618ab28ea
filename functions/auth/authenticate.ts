import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { Problem } from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import type { Environment } from '../runtime/env.ts';
import type { Caller, Middleware } from '../runtime/invocation.ts';
import { invalidToken, verifyAccessToken } from './access-token.ts';

const LIMIT_BYTES = 8192;
/** RFC 6750, section 2.1, with the scheme in any case (RFC 9110, section 11.1). */
const CREDENTIALS = /^Bearer +(\S.*)$/i;
const SINGLE_TENANT = 'default';

type Settings = Pick<Environment, 'issuer' | 'audiences' | 'scopePrefix' | 'tenantClaim'>;

/**
 * Lets a request pass whose bearer token is valid, has the scope and names a tenant, and puts the
 * caller on the invocation. Refuses others with the challenge of RFC 6750, section 3.
 */
export function authenticate(
  scope: string,
  settings: Settings,
  findKey: JWTVerifyGetKey,
): Middleware<{ caller: Caller }> {
  const required = settings.scopePrefix + scope;
  return {
    before: async ({ event }) => {
      const token = bearerToken(event.headers?.authorization);
      const { subject, client, scopes, claims } = await verifyAccessToken(token, findKey, settings);
      const tenant = tenantOf(claims, settings.tenantClaim);
      // The log names the caller of a refused request too.
      Object.assign(event, { caller: { subject, client, tenant } });
      if (!scopes.includes(required)) {
        throw forbidden(
          'insufficient_scope',
          `The access token lacks the scope ${required}.`,
          required,
        );
      }
      if (tenant === undefined) {
        throw forbidden('no_tenant', 'The access token must name the tenant it acts in.', required);
      }
    },
  };
}

function bearerToken(header: string | undefined): string {
  const token = header === undefined ? undefined : CREDENTIALS.exec(header)?.[1];
  if (token === undefined) {
    throw new Problem('unauthenticated', 'Send Authorization: Bearer <access token>.', {
      challenge: 'Bearer realm="recruitment"',
    });
  }
  if (Buffer.byteLength(token) > LIMIT_BYTES) {
    throw invalidToken(`The access token is over ${LIMIT_BYTES} bytes.`);
  }
  return token;
}

function tenantOf(claims: JWTPayload, claim: string | undefined): string | undefined {
  if (claim === undefined) return SINGLE_TENANT;
  const tenant = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return typeof tenant === 'string' && isIdentifier(tenant) ? tenant : undefined;
}

const forbidden = (code: 'insufficient_scope' | 'no_tenant', detail: string, scope: string) =>
  new Problem(code, detail, {
    challenge: `Bearer realm="recruitment", error="insufficient_scope", scope="${scope}"`,
  });
