import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Route } from './routes.ts';

/** The media types whose bodies API Gateway passes on as text. API Gateway encodes other bodies in Base64. */
const TEXT = /^(text\/|application\/(.*\+)?(json|xml)|application\/javascript)/i;

/** A route and the event for the route's function. */
interface Invocation {
  route: Route;
  event: APIGatewayProxyEventV2;
}

/**
 * Finds the route of a request and builds the event in payload format 2.0
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 * Like API Gateway, it percent-decodes the path before it looks for the route. `%2F` therefore separates segments.
 * @returns undefined if no route matches, `malformed` if the path cannot be decoded.
 */
export function invocationOf(
  request: IncomingMessage,
  body: Buffer,
  routes: readonly Route[],
  requestId: string,
): Invocation | undefined | 'malformed' {
  const [encodedPath = '', ...query] = (request.url ?? '').split('?');
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

/** Returns the percent-decoded path; undefined if the encoding is malformed or not UTF-8. */
function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Returns the headers as API Gateway passes them on, with lower-case names and comma-separated values. */
const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]),
  );
