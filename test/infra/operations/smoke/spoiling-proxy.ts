import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../../support/server.ts';

/** An answer on its way; a spoiler changes it. */
export interface PassingAnswer {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Changes an answer in place; returns `hang` if it must never arrive, `reset` to end the connection. */
export type Spoiler = (answer: PassingAnswer) => unknown;

/** A real HTTP proxy before a service, which spoils its answers. */
export class SpoilingProxy {
  readonly #server: Server;
  readonly url: string;
  spoil: Spoiler = () => undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${portOf(server)}`;
  }

  static async start(target: string): Promise<SpoilingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new SpoilingProxy(server);
    server.on('request', async (request, response) => {
      const { method = '', url: path = '' } = request;
      const body = await text(request);
      const { 'content-length': _, connection: __, host: ___, ...headers } = request.headers;
      const sent = await fetch(target + path, {
        method,
        headers: headers as Record<string, string>,
        ...(body !== '' && { body }),
      });
      const { 'content-length': ____, ...own } = Object.fromEntries(sent.headers);
      const answer = { method, path, status: sent.status, headers: own, body: await sent.text() };
      const ending = proxy.spoil(answer);
      if (ending === 'reset') response.destroy();
      else if (ending !== 'hang')
        response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    return proxy;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
