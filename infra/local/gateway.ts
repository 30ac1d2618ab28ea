import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isRecord } from '../../functions/domain/record.ts';
import { type CorsConfiguration, corsHeaders, preflightHeaders } from './cors.ts';
import { invocationOf } from './gateway-event.ts';
import { LocalFunction, type Observer } from './local-function.ts';
import type { Route } from './routes.ts';

/** Lambda's documented limit of the payload of an invocation, which includes the event: 6 MB. */
const LIMIT_BYTES = 6 * 1024 * 1024;

/** What a gateway serves. */
export interface Api {
  routes: readonly Route[];
  /** Undefined: pages of other origins may not call the API. */
  cors?: CorsConfiguration | undefined;
  observer?: Observer;
}

/** An HTTP response. */
export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string | string[]>;
  body: string | Buffer;
}

/** Answers the requests for pages beside the API, and gives undefined for all others. */
export type Pages = (request: IncomingMessage) => Promise<GatewayResponse | undefined>;

/** A gateway that listens on this machine. */
export interface Gateway {
  server: Server;
  /**
   * Serves this API from now on; requests under way end on the old one. Requests wait for the first
   * call.
   */
  serve(api: Api): Promise<void>;
  stop(): Promise<void>;
}

/** An API, with a function for each route. */
interface Served {
  functions: ReadonlyMap<Route, LocalFunction>;
  cors: CorsConfiguration | undefined;
}

/**
 * Answers HTTP requests like an HTTP API of API Gateway: it finds the route, invokes its function with
 * payload format 2.0, and passes the answer on. `report` gets the lines that the function's log would
 * have for a crash or a time-out. `pages` answers first.
 */
export function createGateway(report: (line: string) => void, pages?: Pages): Gateway {
  const first = Promise.withResolvers<void>();
  let served: Served = { functions: new Map(), cors: undefined };
  const answerTo = async (
    request: IncomingMessage,
    requestId: string,
  ): Promise<GatewayResponse> => {
    const body = await readBody(request);
    await first.promise;
    const page = await pages?.(request);
    if (page !== undefined) return page;
    // Read after the body, because they may change while it arrives.
    const { functions, cors } = served;
    if (cors !== undefined && request.method === 'OPTIONS') {
      return { statusCode: 204, headers: preflightHeaders(cors, request.headers), body: '' };
    }
    const answer = await invoke(request, body, requestId, functions, report);
    return {
      ...answer,
      headers: { ...answer.headers, ...(cors && corsHeaders(cors, request.headers)) },
    };
  };
  const server = createServer((request, response) => {
    const requestId = randomBytes(12).toString('base64');
    answerTo(request, requestId).then(
      (answer) => send(response, requestId, answer),
      (error) => {
        if (request.errored) return report(`${requestId} The client aborted the request.`);
        report(String(error));
        send(response, requestId, message(500, 'Internal Server Error'));
      },
    );
  });
  return {
    server,
    async serve({ routes, cors, observer }) {
      const old = served.functions;
      const functions = new Map(
        routes.map((route) => [route, new LocalFunction(route.function, observer)]),
      );
      served = { functions, cors };
      first.resolve();
      await stopAll(old);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await stopAll(served.functions);
    },
  };
}

async function stopAll(functions: Served['functions']): Promise<void> {
  await Promise.all([...functions.values()].map((running) => running.stop()));
}

async function invoke(
  request: IncomingMessage,
  body: Buffer | undefined,
  requestId: string,
  functions: Served['functions'],
  report: (line: string) => void,
): Promise<GatewayResponse> {
  const found = body && invocationOf(request, body, [...functions.keys()], requestId);
  if (found === 'malformed') return message(400, 'Bad Request');
  if (body === undefined || isTooLarge(found?.event)) {
    return message(413, 'Request Entity Too Large');
  }
  const running = found && functions.get(found.route);
  if (found === undefined || running === undefined) return message(404, 'Not Found');
  const outcome = await running.invoke(found.event);
  if ('failure' in outcome) {
    report(`${found.route.function.name} ${requestId} ${outcome.failure}`);
    return message(500, 'Internal Server Error');
  }
  return toResponse(outcome.result);
}

/** Reads a body; gives undefined if no event can hold it. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= LIMIT_BYTES) chunks.push(chunk);
  }
  return size > LIMIT_BYTES ? undefined : Buffer.concat(chunks);
}

const isTooLarge = (event: unknown) =>
  event !== undefined && Buffer.byteLength(JSON.stringify(event)) > LIMIT_BYTES;

const message = (statusCode: number, text: string): GatewayResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

/** The HTTP answer for a function's result; API Gateway infers the answer if that has no status. */
function toResponse(result: unknown): GatewayResponse {
  if (!isRecord(result) || result.statusCode === undefined) {
    return { ...message(200, ''), body: result === undefined ? '' : JSON.stringify(result) };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result;
  if (typeof statusCode !== 'number' || !Number.isInteger(statusCode)) {
    return message(500, 'Internal Server Error');
  }
  const named = isRecord(headers) ? Object.entries(headers) : [];
  const text = typeof body === 'string' ? body : '';
  return {
    statusCode,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), String(value)])),
      ...(Array.isArray(cookies) && { 'set-cookie': cookies.map(String) }),
    },
    body: isBase64Encoded === true ? Buffer.from(text, 'base64') : text,
  };
}

function send(response: ServerResponse, requestId: string, answer: GatewayResponse): void {
  const { statusCode, headers, body } = answer;
  response.writeHead(statusCode, {
    ...headers,
    'apigw-requestid': requestId,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
