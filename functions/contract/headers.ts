/** The response headers that have the same value in every response. */
export const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * The media type that a request body must have. The `Accept-Patch` header names the same type (RFC 5789, section 3.1).
 */
export const BODY_MEDIA_TYPE = 'application/json';

/** Returns the `ETag` of a job version. The `ETag` is a strong entity tag (RFC 9110, section 8.8.3). */
export const entityTag = (version: number) => `"${version}"`;

/**
 * Returns the value of the `WWW-Authenticate` header (RFC 6750, section 3).
 * @param error the reason for the challenge; undefined if the request had no credentials.
 * @param scope the scope that the operation requires.
 */
export function bearerChallenge(error?: 'invalid_token' | 'insufficient_scope', scope?: string) {
  const parameters = Object.entries({ realm: 'recruitment', error, scope });
  const present = parameters.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/**
 * Another name under which clients may receive the `WWW-Authenticate` header. API Gateway uses this name in the
 * responses of REST APIs (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html).
 * This service uses an API Gateway HTTP API. AWS does not document whether API Gateway also renames the header for HTTP
 * APIs, so clients must accept both names.
 */
export const REMAPPED_CHALLENGE_HEADER = 'x-amzn-remapped-www-authenticate';
