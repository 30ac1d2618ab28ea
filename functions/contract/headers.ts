export const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

export const BODY_MEDIA_TYPE = 'application/json';

export const entityTag = (version: number) => `"${version}"`;

/** RFC 6750, section 3. A request without credentials gets no `error`. */
export function bearerChallenge(error?: 'invalid_token' | 'insufficient_scope', scope?: string) {
  const parameters = Object.entries({ realm: 'recruitment', error, scope });
  const present = parameters.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/**
 * API Gateway renames `WWW-Authenticate` to this: in REST APIs as documented
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html), and in HTTP APIs, such
 * as this one, as users report. Clients must accept both (docs/first-deployment.md, step 5).
 */
export const REMAPPED_CHALLENGE_HEADER = 'x-amzn-remapped-www-authenticate';
