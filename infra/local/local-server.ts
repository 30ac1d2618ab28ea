import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Server } from 'node:net';

/**
 * The values of `Host` by which programs reach a server of this machine. The port may be another one than the server's, because
 * ports can be forwarded.
 */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** The response to a request that is refused. */
export interface Refusal {
  statusCode: number;
  message: string;
}

/**
 * Returns why a server that listens on 127.0.0.1 refuses a request; undefined if the server accepts the request. A page of any
 * site can send requests to this machine. The browser names the site in `Origin`, or in `Host` if the site has its own name
 * resolved to 127.0.0.1 (DNS rebinding). Other programs send no `Origin`.
 * @param allowedOrigins the origins whose pages may send requests, besides the server's own pages
 */
export function refusalOf(
  { headers: { host = '', origin }, socket }: IncomingMessage,
  allowedOrigins: readonly string[] = [],
): Refusal | undefined {
  if (!OWN_HOST.test(host)) {
    const address = `http://127.0.0.1:${socket.localPort}`;
    return { statusCode: 421, message: `The host name is not this machine's. Use ${address}.` };
  }
  const isOwn = origin === undefined || origin === `http://${host}`;
  if (isOwn || allowedOrigins.includes(origin)) return undefined;
  const message =
    'Pages of this origin may not send requests here. To let them call the API, use npm start -- -c corsOrigins=ORIGIN.';
  return { statusCode: 403, message };
}

/** Returns a listener that passes requests on to `listener`, except foreign ones. */
export function refuseForeign(
  listener: RequestListener,
  allowedOrigins: () => readonly string[] = () => [],
): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request, allowedOrigins());
    if (refusal === undefined) return listener(request, response);
    response.writeHead(refusal.statusCode, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: refusal.message }));
  };
}

/**
 * Listens on a port of 127.0.0.1, 0 for a free one, and returns the port.
 * @throws Error that says what to do if the port is in use, or if the system does not let this user have it.
 */
export async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error) => {
    const reason = REASONS[error.code];
    if (reason === undefined) throw error;
    throw new Error(`Port ${port} ${reason}, as in PORT=3010 npm start.`);
  });
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

/** Why a port cannot be used, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: choose another one',
  EACCES: 'is reserved by the system (EACCES): choose another one above 1023',
};
