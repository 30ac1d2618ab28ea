import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { listenOn } from '../../../infra/local/local-server.ts';
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

const names = ['read', 'update', 'console', 'token', 'database'] as const;

const it = serviceTest.extend('requests', { scope: 'file' }, async ({ running }) => {
  const { service, base, data } = running;
  const { tokenEndpoint = '', databaseEndpoint } = readState(data);
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
    database: {
      address: databaseEndpoint,
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.Scan',
        'x-amz-date': '20260101T000000Z',
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: '{"TableName": "recruitment-local"}',
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

  it('has its database on a port to which browsers send nothing', async ({ running: { data } }) => {
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
    const serving = processes.filter((line) => line.includes(data) && line.includes(' serve '));
    const ports = new Set(serving.map((line) => / --port (\d+) /.exec(line)?.[1]));
    expect(ports).toHaveLength(1);
    const [port] = ports;
    const address = `http://127.0.0.1:${port}`;
    expect((await send({ address })).status).toBe(200);
    // Node.js, like browsers, does not connect to the ports listed at https://fetch.spec.whatwg.org/#port-blocking.
    await expect(fetch(address)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });
});
