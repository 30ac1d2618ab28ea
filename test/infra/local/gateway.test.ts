import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cors } from '../../../functions/operations/cors.ts';
import { operations } from '../../../functions/operations/operations.ts';
import { createGateway, type Route, type ServePage } from '../../../infra/local/gateway.ts';
import { portOf } from '../../support/server.ts';

const LIMIT_MS = 60_000;
const ORIGIN = 'http://localhost:5173';

interface Echo {
  event: APIGatewayProxyEventV2;
  remaining: number;
  id: string;
}

const contract = operations['get-application'];
const ROUTE_KEY = 'GET /v1/jobs/{id}/applications/{candidate_id}';

const handler: Route['handler'] = async (event, context) => {
  switch (event.pathParameters?.candidate_id) {
    case 'throw':
      throw new Error('thrown');
    case 'late':
      vi.advanceTimersByTime(LIMIT_MS);
      return new Promise(() => undefined);
    default: {
      const { awsRequestId: id, getRemainingTimeInMillis } = context;
      const body = JSON.stringify({ event, remaining: getRemainingTimeInMillis(), id });
      return { statusCode: 201, headers: { 'X-Own': 'yes' }, body };
    }
  }
};

const servePage: ServePage = async ({ url }) =>
  url === '/page' ? { statusCode: 200, headers: {}, body: 'page' } : undefined;

const it = test.extend('gateway', { scope: 'file' }, async ({}, { onCleanup }) => {
  const reports: string[] = [];
  const server = createServer(
    createGateway({
      routes: [{ contract, handler }],
      corsOrigins: [ORIGIN],
      limitMs: LIMIT_MS,
      servePage,
      report: (line) => reports.push(line),
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  return { base: `http://127.0.0.1:${portOf(server)}`, reports };
});

/** `fetch` would normalize the path. */
async function get(base: string, path: string, headers = {}) {
  const sent = sendRequest(base, { path, headers }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await json(response) };
}

const echo = async (base: string, path: string, headers = {}) =>
  (await get(base, path, headers)).body as Echo;

describe('the local gateway', () => {
  it('builds the event of payload format 2.0', async ({ gateway: { base } }) => {
    const { event } = await echo(base, '/v1/jobs/a%20b/applications/1?x=1&y=2&x=a+b', {
      'X-Some': 'Header',
      Cookie: 'c=1; d=2',
    });
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: ROUTE_KEY,
      rawPath: '/v1/jobs/a b/applications/1',
      rawQueryString: 'x=1&y=2&x=a+b',
      queryStringParameters: { x: '1,a b', y: '2' },
      pathParameters: { id: 'a b', candidate_id: '1' },
      cookies: ['c=1', 'd=2'],
      isBase64Encoded: false,
      requestContext: {
        routeKey: ROUTE_KEY,
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        http: { method: 'GET', path: '/v1/jobs/a b/applications/1', protocol: 'HTTP/1.1' },
      },
    });
    expect(event.headers).toMatchObject({ 'x-some': 'Header' });
    expect(event.headers).not.toHaveProperty('cookie');
  });

  it('passes text on as it is, and other bodies in Base64', async ({ gateway: { base } }) => {
    const send = async (body: Buffer, type: string) => {
      const headers = { 'content-type': type, 'content-length': body.length };
      const sent = sendRequest(`${base}/v1/jobs/1/applications/1`, { headers }).end(body);
      const [response] = await once(sent, 'response');
      return ((await json(response)) as Echo).event;
    };
    const text = await send(Buffer.from('{"a":1}'), 'application/json');
    expect(text).toMatchObject({ body: '{"a":1}', isBase64Encoded: false });
    const other = await send(Buffer.from([255]), 'application/octet-stream');
    expect(other).toMatchObject({ body: '/w==', isBase64Encoded: true });
  });

  it("gives the handler an id of its own and Lambda's time", async ({ gateway: { base } }) => {
    const one = await echo(base, '/v1/jobs/1/applications/1');
    const other = await echo(base, '/v1/jobs/1/applications/1');
    expect(one.id).not.toBe(other.id);
    expect(one.remaining).toBeGreaterThan(0);
    expect(one.remaining).toBeLessThanOrEqual(LIMIT_MS);
  });

  it.for([
    ['throw', 'thrown'],
    ['late', 'Task timed out after 60.00 seconds'],
  ])('responds as API Gateway does to a handler that is %s', async ([how, reason], { gateway }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { status, body } = await get(gateway.base, `/v1/jobs/1/applications/${how}`);
    expect([status, body]).toEqual([500, { message: 'Internal Server Error' }]);
    expect(gateway.reports.at(-1)).toContain(reason);
  });

  /**
   * Path segments, and what an HTTP API made of them, as recorded in `vokerhttp/testdata/ingress-paths.json` of
   * https://github.com/hotsock/voker/pull/8, and for slashes in https://github.com/brefphp/symfony-bridge/issues/53.
   */
  it.for<[sent: string, id: string | number]>([
    ['plain', 'plain'],
    ['space%20value', 'space value'],
    ['question%3Fvalue', 'question'],
    ['hash%23value', 'hash#value'],
    ['unicode-%CE%BB-%E4%B8%96%E7%95%8C', 'unicode-λ-世界'],
    ['literal%253Fvalue', 'literal?value'],
    ['literal%2525value', 'literal%value'],
    ['/two', 'two'],
    ['slash%2Fvalue', 404],
    ['literal%252Fvalue', 404],
    ['percent%25done', 400],
    ['%FF', 400],
    ['', 404],
  ])('decodes %s as an HTTP API does: %s', async ([sent, id], { gateway: { base } }) => {
    const { status, body } = await get(base, `/v1/jobs/1/applications/${sent}`);
    if (typeof id === 'number')
      expect([status, body]).toEqual([id, { message: expect.any(String) }]);
    else {
      const { event } = body as Echo;
      expect(event.rawPath).toBe(`/v1/jobs/1/applications/${id}`);
      expect(event.pathParameters).toEqual({ id: '1', candidate_id: id });
    }
  });

  it('finds no route for another method', async ({ gateway: { base } }) => {
    const response = await fetch(`${base}/v1/jobs/1/applications/1`, { method: 'PUT' });
    expect([response.status, await response.json()]).toEqual([404, { message: 'Not Found' }]);
  });

  it('tells allowed origins, and no other, what they may do and read, of errors too', async ({
    gateway: { base },
  }) => {
    const corsHeadersOf = async (method: string, path: string, headers: Record<string, string>) => {
      const response = await fetch(base + path, { method, headers });
      return Object.entries(Object.fromEntries(response.headers)).filter(([name]) =>
        name.startsWith('access-control-'),
      );
    };
    const preflight = { 'Access-Control-Request-Method': 'GET' };
    const allowed = { Origin: ORIGIN };
    const path = '/v1/jobs/1/applications/1';
    expect(await corsHeadersOf('OPTIONS', path, { ...preflight, ...allowed })).toEqual([
      ['access-control-allow-headers', cors.requestHeaders.join(',')],
      ['access-control-allow-methods', cors.methods.join(',')],
      ['access-control-allow-origin', ORIGIN],
      ['access-control-max-age', '86400'],
    ]);
    expect(await corsHeadersOf('OPTIONS', path, allowed)).toEqual([]);
    expect(await corsHeadersOf('OPTIONS', path, { ...preflight, Origin: 'null' })).toEqual([]);
    for (const at of [path, '/v1/jobs/1/applications/throw', '/other']) {
      expect(await corsHeadersOf('GET', at, allowed)).toEqual([
        ['access-control-allow-origin', ORIGIN],
        ['access-control-expose-headers', cors.responseHeaders.join(',')],
      ]);
      expect(await corsHeadersOf('GET', at, { Origin: 'null' })).toEqual([]);
    }
    expect(await corsHeadersOf('GET', '/page', allowed)).toEqual([]);
  });
});
