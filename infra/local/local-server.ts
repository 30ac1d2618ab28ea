import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server } from 'node:net';

/** Any port, because ports can be forwarded. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

interface OriginRefusal {
  statusCode: number;
  message: string;
}

/**
 * Any site's page can send requests to this machine. Browsers name the site in `Origin`, or in `Host` if the site's
 * name resolves to 127.0.0.1 (DNS rebinding). Other programs send no `Origin`.
 * @param allowedOrigins in addition to the server's own.
 * @returns undefined if the request is accepted.
 */
export function checkOrigin(
  { headers: { host = '', origin }, socket }: IncomingMessage,
  allowedOrigins: readonly string[] = [],
): OriginRefusal | undefined {
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

export function refuseForeign(
  listener: RequestListener,
  allowedOrigins: readonly string[] = [],
): RequestListener {
  return (request, response) => {
    const refusal = checkOrigin(request, allowedOrigins);
    if (refusal === undefined) return listener(request, response);
    response.writeHead(refusal.statusCode, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: refusal.message }));
  };
}

/**
 * Listens only on 127.0.0.1. Port 0 picks a free port.
 * @returns the port.
 * @throws Error that says what to do if the port is in use or reserved.
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

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server, 0);
  server.close();
  return port;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use. Choose another port',
  EACCES: 'is reserved by the system (EACCES). Choose a port above 1023',
};
