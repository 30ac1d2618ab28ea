import type { IncomingMessage } from 'node:http';
import { cors } from '../../functions/operations/cors.ts';

/** Like API Gateway: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html */
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
          'access-control-max-age': String(cors.preflightSeconds),
        }
      : { 'access-control-expose-headers': cors.responseHeaders.join(',') }),
  };
}
