import type { IncomingHttpHeaders } from 'node:http';

/** The CORS configuration of an HTTP API, as CloudFormation has it. */
export interface CorsConfiguration {
  AllowOrigins: string[];
  AllowMethods: string[];
  AllowHeaders: string[];
  ExposeHeaders: string[];
}

/**
 * The headers that API Gateway adds to its answer to a preflight request
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html): none unless the
 * origin may call the API and the request names a method.
 */
export function preflightHeaders(
  { AllowOrigins, AllowMethods, AllowHeaders }: CorsConfiguration,
  { origin, 'access-control-request-method': method }: IncomingHttpHeaders,
): Record<string, string> {
  if (origin === undefined || method === undefined || !AllowOrigins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': AllowMethods.join(','),
    'access-control-allow-headers': AllowHeaders.join(','),
  };
}

/** The headers that API Gateway adds to any other answer, if the origin may call the API. */
export function corsHeaders(
  { AllowOrigins, ExposeHeaders }: CorsConfiguration,
  { origin }: IncomingHttpHeaders,
): Record<string, string> {
  if (origin === undefined || !AllowOrigins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': ExposeHeaders.join(','),
  };
}
