import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { listenOn } from '../../../infra/local/local-server.ts';
import { startService } from '../../../infra/local/service.ts';
import { readState } from '../../../infra/operator/cli/service-state.ts';
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

const names = ['read', 'update', 'console', 'token'] as const;

const it = serviceTest.extend('requests', { scope: 'file' }, async ({ running }) => {
  const { service, base, data } = running;
  const { tokenEndpoint = '' } = readState(data);
  const authorization = `Bearer ${await service.token()}`;
  /** All succeed if a program on this machine sends them. */
  const requests: Record<(typeof names)[number], Request> = {
    read: {
      address: `${base}/v1/jobs/4007/applications/c-1001`,
      headers: { authorization },
    },
    update: {
      address: `${base}/v1/jobs/4007/status`,
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"status": "published"}',
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

test('a local server accepts connections from this machine alone', async () => {
  const server = createServer();
  await listenOn(server, 0);
  expect(server.address()).toMatchObject({ address: '127.0.0.1' });
  server.close();
});

describe('a request from another site', () => {
  describe.each(names)('%s', (name) => {
    it.for([
      'jobs.example.com',
      'localhost.example.com:3000',
      '127.0.0.1.example.com',
      '[::1].example.com',
    ])(
      'refuses the host %j, which a site can have resolved to this machine',
      async (host, { requests }) => {
        const { status, body } = await sendWith(requests[name], { host });
        expect([status, body]).toEqual([421, expect.stringMatching(/^\{"message":".*"\}$/)]);
      },
    );

    it.for(['http://jobs.example.com', 'http://127.0.0.1:1', 'http://localhost:5173', 'null'])(
      'refuses the origin %s, and its preflight request',
      async (origin, { requests }) => {
        const { status, body } = await sendWith(requests[name], { origin });
        expect([status, body]).toEqual([403, expect.stringMatching(/^\{"message":".*"\}$/)]);
        const preflight = await send({
          address: requests[name].address,
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-method': 'POST' },
        });
        expect(preflight.status).toBe(403);
        expect(Object.keys(preflight.headers).join()).not.toContain('access-control');
      },
    );

    it('accepts the names of this machine, and its own pages', async ({ requests }) => {
      const { port } = new URL(requests[name].address);
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
        expect((await sendWith(requests[name], { host })).status).toBe(200);
        expect((await sendWith(requests[name], { host, origin: `http://${host}` })).status).toBe(
          200,
        );
      }
    });
  });

  it('cannot reach the database, whose port browsers block', async ({ folder }) => {
    const ignore = () => undefined;
    const options = { port: 0, reset: false, report: ignore, log: ignore };
    const text = await startService({ ...options, directory: folder, settings: {}, env: {} }).then(
      async ({ stop }) => {
        const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
        await stop();
        return processes.filter((line) => line.includes(folder)).join();
      },
      // Other services use all of these ports.
      ({ message }) => message.match(/All ports are in use: .*/)[0],
    );
    const ports = new Set(text.match(/(?<=--port |: |, )\d+/g));
    expect(ports.size).toBeGreaterThan(0);
    for (const port of ports) {
      // Node.js, like browsers, does not connect to the ports listed at https://fetch.spec.whatwg.org/#port-blocking.
      const sent = fetch(`http://127.0.0.1:${port}`);
      await expect(sent).rejects.toMatchObject({ cause: { message: 'bad port' } });
    }
  });
});
