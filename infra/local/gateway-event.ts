import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Route } from './routes.ts';

/** Media types whose bodies API Gateway passes on as text; it encodes all others. */
const TEXT = /^(text\/|application\/(.*\+)?(json|xml)|application\/javascript)/i;

/** A route and the event for its function. */
export interface Invocation {
  route: Route;
  event: APIGatewayProxyEventV2;
}

/**
 * Finds the route of a request and builds its event in payload format 2.0
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 * Like an HTTP API, it percent-decodes the path before it finds the route, so that `%2F` separates
 * segments like `/` does.
 * @returns undefined if no route matches, `malformed` if the path cannot be decoded.
 */
export function invocationOf(
  request: IncomingMessage,
  body: Buffer,
  routes: readonly Route[],
  requestId: string,
): Invocation | undefined | 'malformed' {
  const [encodedPath = '', ...query] = targetOf(request).split('?');
  const path = decodePath(encodedPath);
  if (path === undefined) return 'malformed';
  const route = routes.find((each) => each.method === request.method && each.path.test(path));
  if (route === undefined) return undefined;
  const rawQueryString = query.join('?');
  const { cookie, ...headers } = headersOf(request);
  const now = new Date();
  const isBase64Encoded = body.length > 0 && !TEXT.test(headers['content-type'] ?? '');
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: path,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers,
    ...(rawQueryString !== '' && {
      queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)),
    }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? '',
      domainPrefix: 'local',
      http: {
        method: route.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: route.routeKey,
      stage: '$default',
      time: now.toUTCString(),
      timeEpoch: now.valueOf(),
    },
    pathParameters: { ...route.path.exec(path)?.groups },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
  return { route, event };
}

/** The path and query of a request, also if its target is a whole URL (RFC 9112, section 3.2.2). */
const targetOf = ({ url = '' }: IncomingMessage) => url.replace(/^https?:\/\/[^/?]*/i, '');

/** A path without percent-encoding; undefined if that is malformed, or not UTF-8. */
export function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Lower-case names, repeated headers joined by commas, as API Gateway passes them on. */
const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]),
  );
