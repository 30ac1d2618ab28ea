import type { IncomingMessage } from 'node:http';
import { cors } from '../../functions/operations/cors.ts';

/**
 * Returns the CORS headers that API Gateway adds to the response
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html). There are none if the origin may
 * not call the API, or if a preflight request names no method.
 */
export function corsHeaders(
  origins: readonly string[],
  { method, headers }: IncomingMessage,
): Record<string, string> {
  const { origin = '', 'access-control-request-method': wanted } = headers;
  const isPreflight = method === 'OPTIONS';
  if (!origins.includes(origin) || (isPreflight && wanted === undefined)) return {};
  return {
    'access-control-allow-origin': origin,
    ...(isPreflight
      ? {
          'access-control-allow-methods': cors.methods.join(','),
          'access-control-allow-headers': cors.requestHeaders.join(','),
        }
      : { 'access-control-expose-headers': cors.responseHeaders.join(',') }),
  };
}
