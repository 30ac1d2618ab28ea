import type { IncomingMessage } from 'node:http';

/** The CORS configuration of an HTTP API, with CloudFormation's property names. */
export interface CorsConfiguration {
  AllowOrigins: string[];
  AllowMethods: string[];
  AllowHeaders: string[];
  ExposeHeaders: string[];
}

/**
 * Returns the CORS headers that API Gateway adds to the response
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html). Returns no headers if the origin
 * may not call the API, or if a preflight request names no method.
 */
export function corsHeaders(
  cors: CorsConfiguration,
  { method, headers }: IncomingMessage,
): Record<string, string> {
  const { origin = '', 'access-control-request-method': wanted } = headers;
  const isPreflight = method === 'OPTIONS';
  if (!cors.AllowOrigins.includes(origin) || (isPreflight && wanted === undefined)) return {};
  return {
    'access-control-allow-origin': origin,
    ...(isPreflight
      ? {
          'access-control-allow-methods': cors.AllowMethods.join(','),
          'access-control-allow-headers': cors.AllowHeaders.join(','),
        }
      : { 'access-control-expose-headers': cors.ExposeHeaders.join(',') }),
  };
}
