/** The headers that have the same value in every response. */
export const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The required media type of a request body. `Accept-Patch` names it too (RFC 5789, section 3.1). */
export const BODY_MEDIA_TYPE = 'application/json';

/** Returns the `ETag` of a version, a strong entity tag (RFC 9110, section 8.8.3). */
export const entityTag = (version: number) => `"${version}"`;

/**
 * Returns the value of `WWW-Authenticate` (RFC 6750, section 3).
 * @param error the reason for the challenge; absent if the request had no credentials.
 * @param scope the scope that the operation requires.
 */
export function bearerChallenge(error?: 'invalid_token' | 'insufficient_scope', scope?: string) {
  const parameters = Object.entries({ realm: 'recruitment', error, scope });
  const present = parameters.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

/**
 * Another name under which clients may receive `WWW-Authenticate`. API Gateway renames the header for REST APIs
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html). AWS does not document
 * whether API Gateway also does this for HTTP APIs, so clients must accept both names.
 */
export const REMAPPED_CHALLENGE_HEADER = 'x-amzn-remapped-www-authenticate';
