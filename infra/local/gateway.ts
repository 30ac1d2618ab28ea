import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isRecord } from '../../functions/domain/record.ts';
import { invocationOf } from './gateway-event.ts';
import { LocalFunction } from './local-function.ts';
import type { Route } from './routes.ts';

/** API Gateway's documented limit of a request's payload: 10 MB. */
const LIMIT_BYTES = 10_485_760;

/** A gateway that listens on this machine. */
export interface Gateway {
  server: Server;
  /** Serves these routes from now on; requests under way end on the old ones. */
  serve(routes: Route[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Answers HTTP requests like an HTTP API of API Gateway: it finds the route, invokes its function with
 * payload format 2.0, and passes the answer on. `report` gets the lines that the function's log would
 * have for a crash or a time-out.
 */
export function createGateway(report: (line: string) => void): Gateway {
  let functions = new Map<Route, LocalFunction>();
  const server = createServer((request, response) => {
    const requestId = randomBytes(12).toString('base64');
    handle(request, requestId, () => functions, report).then(
      (answer) => send(response, requestId, answer),
      (error) => {
        report(String(error));
        send(response, requestId, message(500, 'Internal Server Error'));
      },
    );
  });
  return {
    server,
    async serve(newRoutes) {
      const old = functions;
      functions = new Map(newRoutes.map((route) => [route, new LocalFunction(route.function)]));
      await stopAll(old);
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await stopAll(functions);
    },
  };
}

async function stopAll(functions: Map<Route, LocalFunction>): Promise<void> {
  await Promise.all([...functions.values()].map((running) => running.stop()));
}

interface Answer {
  statusCode: number;
  headers: Record<string, string | string[]>;
  body: string | Buffer;
}

async function handle(
  request: IncomingMessage,
  requestId: string,
  currentFunctions: () => ReadonlyMap<Route, LocalFunction>,
  report: (line: string) => void,
): Promise<Answer> {
  const body = await readBody(request);
  if (body === undefined) return message(413, 'Request Entity Too Large');
  // Read after the body, because they may change while it arrives.
  const functions = currentFunctions();
  const found = invocationOf(request, body, [...functions.keys()], requestId);
  if (found === 'malformed') return message(400, 'Bad Request');
  const running = found && functions.get(found.route);
  if (found === undefined || running === undefined) return message(404, 'Not Found');
  const outcome = await running.invoke(found.event);
  if ('failure' in outcome) {
    report(`${found.route.function.name} ${requestId} ${outcome.failure}`);
    return message(500, 'Internal Server Error');
  }
  return toAnswer(outcome.result);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= LIMIT_BYTES) chunks.push(chunk);
  }
  return size > LIMIT_BYTES ? undefined : Buffer.concat(chunks);
}

const message = (statusCode: number, text: string): Answer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: text }),
});

/** The HTTP answer for a function's result; API Gateway infers the answer if that has no status. */
function toAnswer(result: unknown): Answer {
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

function send(response: ServerResponse, requestId: string, answer: Answer): void {
  const { statusCode, headers, body } = answer;
  response.writeHead(statusCode, {
    ...headers,
    'apigw-requestid': requestId,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
