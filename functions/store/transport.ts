import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net, { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { HttpResponse } from '@smithy/core/protocols';
import type { HttpHandlerOptions, HttpRequest, RequestHandler } from '@smithy/types';
import { abortAfterTicks } from '../platform/abortable.ts';
import { type Clock, type ClockReading, elapsed, type Timer } from '../platform/clock.ts';
import { readBody } from '../platform/read-body.ts';

/** In milliseconds. */
const timeLimits = {
  /** For a request: until TCP is connected. For `connect()`: until the TLS handshake is done. */
  connect: 500,
  /** Until the last byte of the response. */
  request: 1000,
  idle: 10_000,
};
export type TransportLimits = typeof timeLimits;

/** Above any response: an item has at most 400 KB, and JSON may write a byte as six. */
const MAX_RESPONSE_BYTES = 4_194_304;

export type HttpRequestHandler = RequestHandler<HttpRequest, HttpResponse, HttpHandlerOptions>;

type Output = { response: HttpResponse };

export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  /** False if the connection never opened: nothing of the request was sent. */
  readonly isSent: boolean;

  constructor(isSent: boolean, cause: unknown) {
    super('DynamoDB sent no complete response.', { cause });
    this.isSent = isSent;
  }
}

/**
 * Unlike the SDK's NodeHttpHandler, limits the time to the last byte of a response, and can connect before the first
 * request.
 */
export function createTransport(
  endpoint: string,
  clock: Clock,
  timer: Timer,
  changedLimits?: Partial<TransportLimits>,
) {
  const limits = { ...timeLimits, ...changedLimits };
  const { protocol, hostname, port } = new URL(endpoint);
  const isSecure = protocol === 'https:';
  const { request: startRequest } = isSecure ? https : http;
  const Agent: typeof http.Agent = isSecure ? https.Agent : http.Agent;
  const opened = isSecure ? 'secureConnect' : 'connect';
  // URLs put IPv6 addresses in brackets, which sockets do not accept.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const target = {
    host,
    port: Number(port || (isSecure ? 443 : 80)),
    noDelay: true,
    // Must not be an IP address (RFC 6066, section 3).
    servername: isIP(host) === 0 ? host : '',
  };
  const idleSince = new WeakMap<object, ClockReading>();
  let connectedAhead: Socket | undefined;

  class DatabaseAgent extends Agent {
    override createConnection(...parameters: Parameters<http.Agent['createConnection']>) {
      return takeConnection() ?? super.createConnection(...parameters);
    }
    override keepSocketAlive(socket: Duplex) {
      idleSince.set(socket, clock());
      return super.keepSocketAlive(socket);
    }
  }
  const agent = new DatabaseAgent({ keepAlive: true });

  /**
   * The server may have closed a connection that was idle for long, such as while Lambda froze the process. A request
   * lost on it might have been applied or not.
   */
  function isStale(socket: object): boolean {
    const since = idleSince.get(socket);
    return since !== undefined && elapsed(since, clock()) >= limits.idle;
  }

  function takeConnection(): Socket | undefined {
    const socket = connectedAhead;
    connectedAhead = undefined;
    const isUsable = socket?.readyState === 'open' && socket.readableLength === 0;
    if (isUsable && !isStale(socket)) return socket.ref();
    socket?.destroy();
    return undefined;
  }

  return {
    /** Never rejects: if it fails, the first request opens a connection of its own and reports any error. */
    async connect(): Promise<void> {
      const socket = isSecure ? tls.connect(target) : net.connect(target);
      socket.on('error', () => socket.destroy());
      using limit = abortAfterTicks(limits.connect);
      const opening = once(socket, opened, { signal: limit.signal });
      const [{ status }] = await Promise.allSettled([opening]);
      if (status === 'rejected') return void socket.destroy();
      idleSince.set(socket, clock());
      connectedAhead = socket.unref();
    },

    /** @throws NoResponseError without a complete response; RangeError if it is too large. */
    async handle(
      { method, path, headers, body }: HttpRequest,
      { abortSignal }: HttpHandlerOptions = {},
    ): Promise<Output> {
      const { promise, resolve, reject } = Promise.withResolvers<Output>();
      let isConnected = false;
      for (const socket of Object.values(agent.freeSockets).flat()) {
        if (socket !== undefined && isStale(socket)) socket.destroy();
      }
      const request = startRequest({
        ...target,
        agent,
        method,
        path,
        headers: { ...headers, 'user-agent': 'recruitment-service' },
        ...(abortSignal instanceof AbortSignal && { signal: abortSignal }),
      });
      const cancel = () =>
        request.destroy(new DOMException('There was no response in time.', 'TimeoutError'));
      const stopConnecting = timer('connect', limits.connect, cancel);
      const stopResponding = timer('request', limits.request, cancel);
      const connected = () => {
        stopConnecting();
        isConnected = true;
      };
      request.on('socket', (socket) => {
        if (socket.connecting) socket.once('connect', stopConnecting).once(opened, connected);
        else connected();
      });
      request.on('response', (response) => void read(response).then(resolve, reject));
      request.on('error', reject);
      request.end(body);
      try {
        return await promise;
      } catch (error) {
        throw error instanceof RangeError ? error : new NoResponseError(isConnected, error);
      } finally {
        stopConnecting();
        stopResponding();
      }
    },
  };
}

/** Adds the response's status to errors, because it shows whether DynamoDB may have applied the request. */
async function read(response: IncomingMessage): Promise<Output> {
  const statusCode = Number(response.statusCode);
  const body = await readBody(response, MAX_RESPONSE_BYTES).catch((error) => {
    throw Object.assign(error, { $metadata: { httpStatusCode: statusCode } });
  });
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  return { response: new HttpResponse({ statusCode, headers, body }) };
}
