import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readServiceState } from '../../../infra/command/service-state.ts';
import { BLOCKED_PORTS } from '../../../infra/local/database.ts';
import { listenOn } from '../../../infra/local/local-server.ts';
import { startService } from '../../../infra/local/service.ts';
import { serviceTest } from '../../support/local-service.ts';

interface Request {
  address: string;
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** `fetch` would set some of the headers itself. */
async function send({ address, method = 'GET', headers = {}, body = '' }: Request) {
  const sent = request(address, { method, headers }).end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const names = ['read', 'console', 'token'] as const;

const it = serviceTest.extend('requests', { scope: 'file' }, async ({ running }) => {
  const { service, base, data } = running;
  const { tokenEndpoint = '' } = readServiceState(data);
  const authorization = `Bearer ${await service.token()}`;
  /** All succeed if a program on this machine sends them. */
  const requests: Record<(typeof names)[number], Request> = {
    read: {
      address: `${base}/v1/jobs/4007/applications/c-1001`,
      headers: { authorization },
    },
    console: { address: `${base}/docs` },
    token: {
      address: tokenEndpoint,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=applications:read',
    },
  };
  return requests;
});

const sendWith = (request: Request, headers: OutgoingHttpHeaders) =>
  send({ ...request, headers: { ...request.headers, ...headers } });

const HOSTS = [
  'jobs.example.com',
  'localhost.example.com:3000',
  '127.0.0.1.example.com',
  '[::1].example.com',
];
const ORIGINS = ['http://jobs.example.com', 'http://127.0.0.1:1', 'http://localhost:5173', 'null'];

test('a local server accepts connections from this machine alone', async () => {
  const server = createServer();
  await listenOn(server, 0);
  expect(server.address()).toMatchObject({ address: '127.0.0.1' });
  server.close();
});

describe('a request from another site', () => {
  it.for(names)(
    'is refused by its host, which the site can have resolved to this machine, and its origin: %s',
    async (name, { requests }) => {
      const { address } = requests[name];
      const refusal = expect.stringMatching(/^\{"message":".*"\}$/);
      for (const host of HOSTS) {
        const { status, body } = await sendWith(requests[name], { host });
        expect([host, status, body]).toEqual([host, 421, refusal]);
      }
      for (const origin of ORIGINS) {
        const { status, body } = await sendWith(requests[name], { origin });
        expect([origin, status, body]).toEqual([origin, 403, refusal]);
        const headers = { origin, 'access-control-request-method': 'POST' };
        const preflight = await send({ address, method: 'OPTIONS', headers });
        expect(preflight.status).toBe(403);
        expect(Object.keys(preflight.headers).join()).not.toContain('access-control');
      }
      const { port } = new URL(address);
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
        const own = await sendWith(requests[name], { host, origin: `http://${host}` });
        expect([host, own.status]).toEqual([host, 200]);
      }
    },
  );

  it('cannot reach the database, whose port browsers block', async ({ folder }) => {
    const ignore = () => undefined;
    const options = { port: 0, reset: false, report: ignore, log: ignore };
    const used = await startService({ ...options, directory: folder, settings: {}, env: {} }).then(
      async ({ state, stop }) => {
        await stop();
        return [state.databaseEndpoint];
      },
      ({ message }) => {
        // Other programs already use all of these ports.
        expect(message).toContain(BLOCKED_PORTS.join(', '));
        return [];
      },
    );
    for (const address of [...used, ...BLOCKED_PORTS.map((port) => `http://127.0.0.1:${port}`)]) {
      // Node.js, like browsers, does not connect to the ports listed at https://fetch.spec.whatwg.org/#port-blocking.
      await expect(fetch(address)).rejects.toMatchObject({ cause: { message: 'bad port' } });
    }
  });
});
