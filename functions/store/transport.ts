import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net, { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { HttpResponse } from '@smithy/core/protocols';
import type { HttpHandlerOptions, HttpRequest, RequestHandler } from '@smithy/types';
import { readBody } from '../runtime/read-body.ts';

/** For a connection (milliseconds). */
const CONNECT_MS = 500;
/** For everything, from the request to the last byte of its answer (milliseconds). */
const ANSWER_MS = 1000;

/** How long a connection that was opened ahead is trusted: its peer closes it some time (milliseconds). */
const AHEAD_LIVES_MS = 10_000;
/** No answer of DynamoDB is as long: an item has 400 KB at most, in JSON a little more. */
const LIMIT_BYTES = 4_194_304;

type Answer = { response: HttpResponse };

/** A host as sockets want it: an address of IPv6 without the brackets that it has in a URL. */
const unbracketed = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/** What carries the SDK's requests. */
export type HttpRequestHandler = RequestHandler<HttpRequest, HttpResponse, HttpHandlerOptions>;

/**
 * Carries the SDK's requests over connections that are kept open. Of the SDK's own handler, what a
 * request to DynamoDB needs; one connection can be opened ahead, and the time-out ends a request whose
 * answer has begun, too.
 */
export class Transport implements HttpRequestHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #request: typeof https.request;
  readonly #agent: http.Agent;
  readonly #open: () => Socket;
  #ahead: { socket: Socket; openedAt: number } | undefined;

  /** @param endpoint the address of DynamoDB, https or http. */
  constructor(endpoint: string) {
    const { protocol, hostname, port } = new URL(endpoint);
    const host = unbracketed(hostname);
    const isSecure = protocol === 'https:';
    const { Agent, request } = isSecure ? https : http;
    const agent = new Agent({ keepAlive: true });
    const create = agent.createConnection.bind(agent);
    agent.createConnection = (options, done) => this.#takeAhead() ?? create(options, done);
    this.#agent = agent;
    this.#request = request;
    const target = { host, port: Number(port || (isSecure ? 443 : 80)), noDelay: true };
    // A server's name is never an address (RFC 6066, section 3).
    const servername = isIP(host) === 0 ? host : '';
    this.#open = () => (isSecure ? tls.connect({ ...target, servername }) : net.connect(target));
  }

  /** Opens a connection for the first request; where that fails, the request tries and says why. */
  async connect(): Promise<void> {
    const socket = this.#open().on('error', () => socket.destroy());
    const signal = AbortSignal.timeout(CONNECT_MS);
    const opened = once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect', { signal });
    const [{ status }] = await Promise.allSettled([opened]);
    if (status === 'fulfilled') this.#ahead = { socket: socket.unref(), openedAt: Date.now() };
    else socket.destroy();
  }

  /**
   * The connection that was opened ahead, once. Lambda may have stopped the process since, and the
   * peer given it up meanwhile; what the peer has said on it is no answer to a request.
   */
  #takeAhead(): Socket | undefined {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead === undefined) return undefined;
    const { socket, openedAt } = ahead;
    const isYoung = Date.now() - openedAt < AHEAD_LIVES_MS;
    if (isYoung && socket.readyState === 'open' && socket.readableLength === 0) return socket.ref();
    socket.destroy();
    return undefined;
  }

  /**
   * Gives the whole answer.
   * @throws Error `TimeoutError` or of the network, after which the SDK sends the request again;
   *   `AbortError`, after which it does not.
   */
  async handle(request: HttpRequest, { abortSignal }: HttpHandlerOptions = {}): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { hostname, port, method, path, headers } = request;
    const host = unbracketed(hostname);
    const sending = this.#request({ agent: this.#agent, host, port, method, path, headers });
    const giveUp = (name: string) => {
      reject(Object.assign(new Error('The request was given up.'), { name }));
      sending.destroy();
    };
    const connecting = setTimeout(giveUp, CONNECT_MS, 'TimeoutError');
    const answering = setTimeout(giveUp, ANSWER_MS, 'TimeoutError');
    const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
    const abort = () => giveUp('AbortError');
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    sending.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => clearTimeout(connecting));
      else clearTimeout(connecting);
    });
    sending.on('response', (answer) => void read(answer).then(resolve, reject));
    sending.on('error', reject);
    sending.end(request.body);
    try {
      return await promise;
    } finally {
      clearTimeout(connecting);
      clearTimeout(answering);
      signal?.removeEventListener('abort', abort);
    }
  }
}

async function read(answer: IncomingMessage): Promise<Answer> {
  const body = await readBody(answer, LIMIT_BYTES);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = String(value);
  return { response: new HttpResponse({ statusCode: Number(answer.statusCode), headers, body }) };
}
