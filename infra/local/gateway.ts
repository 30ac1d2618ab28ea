import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isObject } from '../../functions/domain/object.ts';
import { type CorsConfiguration, corsHeaders } from './cors.ts';
import { invocationOf } from './gateway-event.ts';
import { LocalFunction, type LogLines } from './local-function.ts';
import { refusalOf } from './local-server.ts';
import type { Route } from './routes.ts';

/** The API that a gateway serves. */
export interface Api {
  routes: readonly Route[];
  /** The CORS configuration. If undefined, pages of other origins may not call the API. */
  cors?: CorsConfiguration | undefined;
  /** The receiver of the functions' log lines. If undefined, the lines go to standard output. */
  log?: LogLines | undefined;
}

export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** A function that responds to requests for pages outside the API, and returns undefined for other requests. */
export type Pages = (request: IncomingMessage) => Promise<GatewayResponse | undefined>;

/** A gateway that listens on this machine. */
export interface Gateway {
  server: Server;
  /**
   * Replaces the API. Requests under way end on the previous API. Until the first call of this function, requests wait.
   */
  serve(api: Api): Promise<void>;
  stop(): Promise<void>;
}

type Functions = ReadonlyMap<Route, LocalFunction>;

/**
 * Creates a server that stands in for API Gateway's HTTP API. The server finds the route, invokes the route's function
 * with payload format 2.0, and passes the function's response on. It refuses requests from other sites' pages.
 * @param report receives the lines that Lambda would add to the log for a crash or a timeout.
 * @param pages gets each request before the API gets it.
 */
export function createGateway(report: (line: string) => void, pages?: Pages): Gateway {
  const first = Promise.withResolvers<void>();
  let functions: Functions = new Map();
  let cors: CorsConfiguration | undefined;
  const respond = async (request: IncomingMessage, requestId: string): Promise<GatewayResponse> => {
    await first.promise;
    const refusal = refusalOf(request, cors?.AllowOrigins);
    if (refusal !== undefined) return message(refusal.statusCode, refusal.message);
    const body = await buffer(request);
    const page = await pages?.(request);
    if (page !== undefined) return page;
    const own = cors && corsHeaders(cors, request);
    if (own && request.method === 'OPTIONS') return { statusCode: 204, headers: own, body: '' };
    const response = await invoke(request, body, requestId, functions, report);
    return { ...response, headers: { ...response.headers, ...own } };
  };
  const server = createServer((request, response) => {
    const requestId = randomBytes(12).toString('base64');
    respond(request, requestId)
      .then((result) => send(response, requestId, result))
      .catch((error) => {
        report(`${requestId} ${error}`);
        send(response, requestId, message(500, 'Internal Server Error'));
      });
  });
  return {
    server,
    async serve(api) {
      const old = functions;
      functions = new Map(
        api.routes.map((route) => [route, new LocalFunction(route.function, api.log)]),
      );
      cors = api.cors;
      first.resolve();
      await stopAll(old);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await stopAll(functions);
    },
  };
}

async function stopAll(functions: Functions): Promise<void> {
  await Promise.all([...functions.values()].map((running) => running.stop()));
}

async function invoke(
  request: IncomingMessage,
  body: Buffer,
  requestId: string,
  functions: Functions,
  report: (line: string) => void,
): Promise<GatewayResponse> {
  const found = invocationOf(request, body, [...functions.keys()], requestId);
  if (found === 'malformed') return message(400, 'Bad Request');
  const running = found && functions.get(found.route);
  if (found === undefined || running === undefined) return message(404, 'Not Found');
  const outcome = await running.invoke(found.event);
  if ('result' in outcome) return toResponse(outcome.result);
  report(`${found.route.function.name} ${requestId} ${outcome.failure}`);
  return message(500, 'Internal Server Error');
}

const message = (statusCode: number, text: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

/** Returns the HTTP response for a function's result, without support for cookies and binary bodies. */
function toResponse(result: unknown): GatewayResponse {
  if (!isObject(result) || typeof result.statusCode !== 'number') {
    return message(500, 'Internal Server Error');
  }
  const { statusCode, headers, body } = result;
  const named = isObject(headers) ? Object.entries(headers) : [];
  return {
    statusCode,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), String(value)])),
    },
    body: typeof body === 'string' ? body : '',
  };
}

function send(response: ServerResponse, requestId: string, result: GatewayResponse): void {
  response.writeHead(result.statusCode, {
    ...result.headers,
    'apigw-requestid': requestId,
    'content-length': Buffer.byteLength(result.body),
  });
  response.end(result.body);
}
