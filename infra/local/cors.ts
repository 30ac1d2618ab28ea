import type { IncomingMessage } from 'node:http';

/** The CORS configuration of an HTTP API, as CloudFormation has it. */
export interface CorsConfiguration {
  AllowOrigins: string[];
  AllowMethods: string[];
  AllowHeaders: string[];
  ExposeHeaders: string[];
}

/**
 * The headers that API Gateway adds to its response to a request
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html): none unless the
 * origin may call the API and, for a preflight request, unless the request names a method.
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
