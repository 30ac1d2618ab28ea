/** The headers of every response whose values never change. */
export const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The media type that a request body must have, which `Accept-Patch` names (RFC 5789, section 3.1). */
export const BODY_MEDIA_TYPE = 'application/json';

/** The `ETag` of a version: a strong entity tag (RFC 9110, section 8.8.3). */
export const entityTag = (version: number) => `"${version}"`;

/**
 * The value of `WWW-Authenticate` (RFC 6750, section 3).
 * @param error absent if the request had no credentials.
 * @param scope the scope that the operation requires.
 */
export function bearerChallenge(error?: 'invalid_token' | 'insufficient_scope', scope?: string) {
  const parameters = Object.entries({ realm: 'recruitment', error, scope });
  const present = parameters.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/**
 * The name under which API Gateway may pass `WWW-Authenticate` on: it renames the header for REST APIs
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html), and does not
 * say what it does for HTTP APIs. Clients must accept either name.
 */
export const REMAPPED_CHALLENGE_HEADER = 'x-amzn-remapped-www-authenticate';
