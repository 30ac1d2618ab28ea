import type { ProblemCode } from './problem.ts';

/** The headers of every response whose values never change. */
export const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The media type that a request body must have, which `Accept-Patch` names (RFC 5789, section 3.1). */
export const BODY_MEDIA_TYPE = 'application/json';

/** The headers of a problem, beside those of every response. */
export const problemHeaders: Readonly<Partial<Record<ProblemCode, readonly ProblemHeader[]>>> = {
  unauthenticated: ['WWW-Authenticate'],
  invalid_token: ['WWW-Authenticate'],
  insufficient_scope: ['WWW-Authenticate'],
  no_tenant: ['WWW-Authenticate'],
  version_mismatch: ['ETag'],
  unsupported_media_type: ['Accept-Patch'],
  unavailable: ['Retry-After'],
};
export type ProblemHeader = 'WWW-Authenticate' | 'ETag' | 'Accept-Patch' | 'Retry-After';

/** The `ETag` of a version: a strong entity tag (RFC 9110, section 8.8.3). */
export const entityTag = (version: number) => `"${version}"`;

/**
 * The value of `WWW-Authenticate` (RFC 6750, section 3).
 * @param error absent if the request had no credentials.
 * @param scope the scope that the operation requires.
 */
export function bearerChallenge(
  error?: 'invalid_token' | 'insufficient_scope',
  scope?: string,
): string {
  const parameters = Object.entries({ realm: 'recruitment', error, scope });
  const present = parameters.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
