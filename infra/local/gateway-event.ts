import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Operation } from '../../functions/contract/operation.ts';

interface RoutedRequest {
  operation: Pick<Operation, 'method' | 'path'>;
  path: string;
  pathParameters: Record<string, string> | undefined;
  /** Without its question mark, still encoded. */
  query: string;
  headers: Record<string, string>;
  cookies: string[] | undefined;
  body: string | undefined;
  isBase64Encoded: boolean;
  requestId: string;
  protocol: string;
  sourceIp: string;
  time: Date;
}

/**
 * Payload format 2.0
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
export function gatewayEvent(request: RoutedRequest): APIGatewayProxyEventV2 {
  const { operation, path, pathParameters, query, headers, cookies, body, requestId } = request;
  const { isBase64Encoded, protocol, sourceIp, time } = request;
  const { host = '', 'user-agent': userAgent = '' } = headers;
  const [domainPrefix = ''] = host.split('.');
  const routeKey = `${operation.method} ${operation.path}`;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookies && { cookies }),
    headers,
    ...(query !== '' && { queryStringParameters: parametersOf(query) }),
    requestContext: {
      accountId: '000000000000',
      apiId: domainPrefix,
      domainName: host,
      domainPrefix,
      http: { method: operation.method, path, protocol, sourceIp, userAgent },
      requestId,
      routeKey,
      stage: '$default',
      // Such as "10/Jul/2026:19:19:05 +0000".
      time: time.toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, '$1/$2/$3:$4 +0000'),
      timeEpoch: time.valueOf(),
    },
    ...(pathParameters && { pathParameters }),
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

/** HTTP APIs join a repeated parameter's values with commas. */
function parametersOf(query: string): Record<string, string> {
  const parameters = new URLSearchParams(query);
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(names.map((name) => [name, parameters.getAll(name).join(',')]));
}

/**
 * Decodes twice, as an HTTP API does before routing, and in between drops a question mark and everything after it. So
 * `%2F` and `%252F` both separate segments, and `%25` is lost or makes the path invalid. Captured from a real API:
 * `vokerhttp/testdata/ingress-paths.json` in https://github.com/hotsock/voker/pull/8. HTTP APIs also merge slashes
 * (https://github.com/brefphp/symfony-bridge/issues/53).
 * @returns undefined if the path cannot be decoded; API Gateway then responds with 400.
 */
export function decodePath(path: string): string | undefined {
  try {
    const [once = ''] = decodeURIComponent(path).split('?');
    return decodeURIComponent(once).replace(/\/+/g, '/');
  } catch {
    return undefined;
  }
}
