import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { portOf } from '../../../support/server.ts';

/** A response on its way; a spoiler changes it. */
export interface PassingResponse {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Changes a response in place; returns `hang` if it must never arrive, `reset` to end the connection. */
export type Spoiler = (response: PassingResponse) => unknown;

/** A real HTTP proxy before a service, which spoils its responses. */
export async function startSpoilingProxy(target: string) {
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = await text(request);
    const { 'content-length': _, connection: __, host: ___, ...headers } = request.headers;
    const sent = await fetch(target + path, {
      method,
      headers: headers as Record<string, string>,
      ...(body !== '' && { body }),
    });
    const { 'content-length': ____, ...own } = Object.fromEntries(sent.headers);
    const passing = { method, path, status: sent.status, headers: own, body: await sent.text() };
    const ending = proxy.spoil(passing);
    if (ending === 'reset') response.destroy();
    else if (ending !== 'hang')
      response.writeHead(passing.status, passing.headers).end(passing.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spoil: Spoiler = () => undefined;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const proxy = { url: `http://127.0.0.1:${portOf(server)}`, spoil, stop };
  return proxy;
}
