import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect } from 'vitest';
import { createGateway, type Gateway, type Pages } from '../../../infra/local/gateway.ts';
import { LocalFunction } from '../../../infra/local/local-function.ts';
import type { Route } from '../../../infra/local/routes.ts';
import { test } from '../../support/fixtures.ts';

/** Pauses of the function: before it throws, while it throws, and while other invocations wait. */
const SOON_MS = 5;
const LATE_MS = 1000;
const SLOW_MS = 150;

const CODE = `
let invocations = 0;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export async function handler(event, context) {
  invocations += 1;
  switch (event.pathParameters.what) {
    case 'crash': process.exit(1);
    case 'throw': throw new Error('thrown');
    case 'reject': setTimeout(() => { throw new Error('uncaught'); }, ${SOON_MS}); await sleep(${LATE_MS});
    case 'spin': for (;;) ;
    case 'malformed': return { statusCode: 'fine' };
    case 'slow': await sleep(${SLOW_MS});
  }
  return {
    statusCode: 201,
    headers: { 'X-Own': 'yes', 'Content-Type': 'application/json' },
    body: JSON.stringify({ event, invocations, variables: process.env, remaining: context.getRemainingTimeInMillis(), id: context.awsRequestId }),
  };
}
`;

/** Long enough for a busy machine: only two invocations take that long. */
const TIMEOUT_S = 2;

interface Echo {
  event: APIGatewayProxyEventV2;
  invocations: number;
  variables: Record<string, string>;
  remaining: number;
  id: string;
}

const reports: string[] = [];
const pages: Pages = async ({ url }) =>
  url === '/page' ? { statusCode: 200, headers: {}, body: 'page' } : undefined;
const newGateway = () => createGateway((line) => reports.push(line), pages);

/** Lets a gateway listen on a free port. */
async function addressOf({ server }: Gateway): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const patch = (address: string, init: RequestInit = {}) =>
  fetch(address, { method: 'PATCH', ...init });
const echo = async (address: string, init?: RequestInit) =>
  (await (await patch(address, init)).json()) as Echo;

const it = test
  .extend('route', { scope: 'file' }, ({}, { onCleanup }): Route => {
    const folder = mkdtempSync(join(tmpdir(), 'recruitment-gateway-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'index.mjs'), CODE);
    return {
      routeKey: 'PATCH /v1/things/{what}/parts/{id}',
      method: 'PATCH',
      path: /^\/v1\/things\/(?<what>[^/]+)\/parts\/(?<id>[^/]+)$/,
      function: {
        name: 'Echo',
        folder,
        handler: 'index.handler',
        variables: { TABLE_NAME: 'table' },
        memoryMegabytes: 128,
        timeoutSeconds: TIMEOUT_S,
      },
    };
  })
  .extend('base', { scope: 'file' }, async ({ route }, { onCleanup }) => {
    const gateway = newGateway();
    onCleanup(() => gateway.stop());
    await gateway.serve({ routes: [route] });
    return addressOf(gateway);
  });

describe('the local gateway', () => {
  it("lets requests wait until there are routes, and passes the function's response on", async ({
    route,
  }) => {
    const starting = newGateway();
    const waiting = patch(`${await addressOf(starting)}/v1/things/echo/parts/1`);
    await once(starting.server, 'request');
    await starting.serve({ routes: [route] });
    const { status, headers } = await waiting;
    expect([status, headers.get('x-own')]).toEqual([201, 'yes']);
    expect(headers.get('apigw-requestid')).toBeTruthy();
    await starting.stop();
  });

  it('builds the event of payload format 2.0', async ({ base, route }) => {
    const { event } = await echo(`${base}/v1/things/echo/parts/a%20b?x=1&y=2`, {
      headers: { 'Content-Type': 'application/json', 'X-Some': 'Header', Cookie: 'c=1; d=2' },
      body: '{"a":1}',
    });
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: route.routeKey,
      rawPath: '/v1/things/echo/parts/a b',
      rawQueryString: 'x=1&y=2',
      queryStringParameters: { x: '1', y: '2' },
      pathParameters: { what: 'echo', id: 'a b' },
      cookies: ['c=1', 'd=2'],
      body: '{"a":1}',
      isBase64Encoded: false,
      requestContext: {
        routeKey: route.routeKey,
        stage: '$default',
        http: { method: 'PATCH', path: '/v1/things/echo/parts/a b', protocol: 'HTTP/1.1' },
      },
    });
    expect(event.headers).toMatchObject({ 'x-some': 'Header', 'content-type': 'application/json' });
    expect(event.headers).not.toHaveProperty('cookie');
    const { event: other } = await echo(`${base}/v1/things/echo/parts/1`, {
      body: new Uint8Array([255]),
    });
    expect(other).toMatchObject({ body: '/w==', isBase64Encoded: true });
  });

  it("gives the function the template's variables and time, and nothing of this machine", async ({
    base,
  }) => {
    const { variables, remaining } = await echo(`${base}/v1/things/echo/parts/1`);
    expect(variables).toEqual({ TABLE_NAME: 'table' });
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(TIMEOUT_S * 1000);
  });

  it('keeps environments, at most one for each CPU core, and lets invocations wait', async ({
    base,
  }) => {
    const before = await echo(`${base}/v1/things/echo/parts/1`);
    const after = await echo(`${base}/v1/things/echo/parts/1`);
    expect(after.invocations).toBe(before.invocations + 1);
    const all = await Promise.all(
      Array.from({ length: 20 }, () => echo(`${base}/v1/things/slow/parts/1`)),
    );
    expect(new Set(all.map(({ id }) => id))).toHaveLength(20);
    const most = Math.max(...all.map(({ invocations }) => invocations));
    expect(most).toBeGreaterThanOrEqual(20 / availableParallelism());
  });

  it('keeps nothing of a request in memory after the response', async ({ route }) => {
    const running = new LocalFunction({ ...route.function, name: 'Memory' });
    const event = { pathParameters: { what: 'echo' } } as unknown as APIGatewayProxyEventV2;
    const outcomes: WeakRef<object>[] = [];
    for (let count = 0; count < 10; count += 1) {
      outcomes.push(new WeakRef(await running.invoke(event)));
    }
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
      collect();
    }
    // The environment may keep the last outcome.
    const kept = outcomes.filter((outcome) => outcome.deref() !== undefined);
    expect(kept.length).toBeLessThan(2);
    await running.stop();
  });

  it.for([
    ['crash', 'The execution environment ended'],
    ['throw', 'thrown'],
    ['reject', 'uncaught'],
    ['spin', `Task timed out after ${TIMEOUT_S}.00 seconds`],
  ])(
    'responds as API Gateway does if a function fails (%s), and goes on',
    async ([what = '', reason], { base }) => {
      const response = await patch(`${base}/v1/things/${what}/parts/1`);
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({ message: 'Internal Server Error' });
      expect(reports.at(-1)).toContain(reason);
      expect((await patch(`${base}/v1/things/echo/parts/1`)).status).toBe(201);
    },
  );

  it.for([
    ['another method', '/v1/things/echo/parts/1', 'GET', 404],
    ['another path', '/v1/things/echo', 'PATCH', 404],
    ['an empty parameter', '/v1/things//parts/1', 'PATCH', 404],
    ['an encoded slash, which separates', '/v1/things/a%2Fb/parts/1', 'PATCH', 404],
    ['a path that is not UTF-8', '/v1/things/echo/parts/%FF', 'PATCH', 400],
  ] as const)('refuses %s', async ([_, path, method, status], { base }) => {
    const response = await fetch(base + path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('message');
  });

  it('tells allowed origins, and no other, what they may do and read, of errors too', async ({
    route,
  }) => {
    const cors = {
      AllowOrigins: ['http://localhost:5173'],
      AllowMethods: ['GET', 'PATCH'],
      AllowHeaders: ['Authorization', 'If-Match'],
      ExposeHeaders: ['ETag', 'X-Request-Id'],
    };
    const other = newGateway();
    await other.serve({ routes: [route], cors });
    const address = await addressOf(other);
    const corsHeadersOf = async (method: string, path: string, headers: Record<string, string>) => {
      const response = await fetch(address + path, { method, headers });
      return Object.entries(Object.fromEntries(response.headers)).filter(([name]) =>
        name.startsWith('access-control-'),
      );
    };
    const preflight = { 'Access-Control-Request-Method': 'PATCH' };
    const allowed = { Origin: 'http://localhost:5173' };
    const path = '/v1/things/echo/parts/1';
    expect(await corsHeadersOf('OPTIONS', path, { ...preflight, ...allowed })).toEqual([
      ['access-control-allow-headers', 'Authorization,If-Match'],
      ['access-control-allow-methods', 'GET,PATCH'],
      ['access-control-allow-origin', allowed.Origin],
    ]);
    expect(await corsHeadersOf('OPTIONS', path, allowed)).toEqual([]);
    expect(await corsHeadersOf('OPTIONS', path, { ...preflight, Origin: 'null' })).toEqual([]);
    for (const at of [path, '/v1/things/throw/parts/1', '/other']) {
      expect(await corsHeadersOf('PATCH', at, allowed)).toEqual([
        ['access-control-allow-origin', allowed.Origin],
        ['access-control-expose-headers', 'ETag,X-Request-Id'],
      ]);
      expect(await corsHeadersOf('PATCH', at, { Origin: 'null' })).toEqual([]);
    }
    // Not even an allowed origin may read the page, which holds a token.
    expect(await corsHeadersOf('GET', '/page', allowed)).toEqual([]);
    await other.stop();
  });

  it('responds with 500 if the code does not load', async ({ route, folder }) => {
    writeFileSync(join(folder, 'index.mjs'), "throw new Error('AUDIENCE is missing');");
    const other = newGateway();
    await other.serve({
      routes: [{ ...route, function: { ...route.function, folder } }],
    });
    const address = await addressOf(other);
    expect((await patch(`${address}/v1/things/echo/parts/1`)).status).toBe(500);
    expect(reports.at(-1)).toContain('AUDIENCE is missing');
    await other.stop();
  });
});
