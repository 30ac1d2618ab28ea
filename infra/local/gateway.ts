import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Operation } from '../../functions/contract/operation.ts';
import type { Handler } from '../../functions/platform/dependencies.ts';
import { corsHeaders } from './cors.ts';
import { decodePath, gatewayEvent } from './gateway-event.ts';
import { checkOrigin } from './local-server.ts';

export interface Route {
  contract: Operation;
  handler: Handler;
}

interface Api {
  routes: readonly Route[];
  corsOrigins: readonly string[];
  limitMs: number;
  /** Tried before the API's routes. */
  servePage?: ServePage;
  report(line: string): void;
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

export type ServePage = (request: IncomingMessage) => Promise<GatewayResponse | undefined>;

/** Stands in for an API Gateway HTTP API. Refuses requests from other sites' pages. */
export function createGateway({
  corsOrigins,
  limitMs,
  servePage,
  report,
  ...api
}: Api): RequestListener {
  const routes = api.routes.map((route) => ({ ...route, pattern: patternOf(route.contract) }));
  return (request, response) => {
    const requestId = randomBytes(12).toString('base64');
    const fail = (error: unknown) => {
      report(`${requestId} ${error instanceof Error ? error.stack : error}`);
      return message(500, 'Internal Server Error');
    };
    const respond = async (): Promise<GatewayResponse> => {
      const refusal = checkOrigin(request, corsOrigins);
      if (refusal !== undefined) return message(refusal.statusCode, refusal.message);
      const body = await buffer(request);
      const page = await servePage?.(request);
      if (page !== undefined) return page;
      const own = corsHeaders(corsOrigins, request);
      if (corsOrigins.length > 0 && request.method === 'OPTIONS') {
        return { statusCode: 204, headers: own, body: '' };
      }
      const result = await invoke(request, body, requestId, routes, limitMs).catch(fail);
      return { ...result, headers: { ...result.headers, ...own } };
    };
    respond()
      .catch(fail)
      .then((result) => send(response, requestId, result));
  };
}

const patternOf = ({ path }: Operation) =>
  new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

type Matched = Route & { pattern: RegExp };

/** Media types that API Gateway passes on as text. Other bodies become Base64. */
const TEXT = /^(text\/|application\/(.*\+)?(json|xml)|application\/javascript)/i;

async function invoke(
  request: IncomingMessage,
  body: Buffer,
  requestId: string,
  routes: readonly Matched[],
  limitMs: number,
): Promise<GatewayResponse> {
  const [encoded = '', ...query] = (request.url ?? '').split('?');
  const path = decodePath(encoded);
  if (path === undefined) return message(400, 'Bad Request');
  const route = routes.find(
    ({ contract, pattern }) => contract.method === request.method && pattern.test(path),
  );
  if (route === undefined) return message(404, 'Not Found');
  const { cookie, ...headers } = requestHeaders(request);
  const isBase64Encoded = body.length > 0 && !TEXT.test(headers['content-type'] ?? '');
  const event = gatewayEvent({
    operation: route.contract,
    path,
    pathParameters: { ...route.pattern.exec(path)?.groups },
    query: query.join('?'),
    headers,
    cookies: cookie?.split('; '),
    body: body.length > 0 ? body.toString(isBase64Encoded ? 'base64' : 'utf8') : undefined,
    isBase64Encoded,
    requestId,
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress ?? '',
    time: new Date(),
  });
  const { statusCode, headers: own, body: text } = await callHandler(limitMs, route, event);
  const named = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]);
  return { statusCode, headers: Object.fromEntries(named), body: text };
}

/** After a timeout, the handler goes on, but its result is ignored. */
async function callHandler(
  limitMs: number,
  { contract, handler }: Route,
  event: Parameters<Handler>[0],
): ReturnType<Handler> {
  const deadline = Date.now() + limitMs;
  const context = {
    awsRequestId: randomUUID(),
    functionName: contract.operationId,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  const { promise: timeOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`Task timed out after ${(limitMs / 1000).toFixed(2)} seconds`));
  }, limitMs);
  try {
    return await Promise.race([handler(event, context), timeOver]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lower-case names and comma-separated values, as from API Gateway. */
const requestHeaders = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]),
  );

const message = (statusCode: number, text: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

function send(response: ServerResponse, requestId: string, result: GatewayResponse): void {
  response.writeHead(result.statusCode, {
    ...result.headers,
    'apigw-requestid': requestId,
    'content-length': Buffer.byteLength(result.body),
  });
  response.end(result.body);
}
