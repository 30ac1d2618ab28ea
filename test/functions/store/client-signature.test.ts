import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemTimer } from '../../../functions/runtime/moment.ts';
import { documentClient } from '../../../functions/store/client.ts';
import { createTransport } from '../../../functions/store/transport.ts';
import { dynamoError } from '../../support/faults.ts';
import { portOf } from '../../support/server.ts';
import { credentials, isSigned } from '../../support/signature.ts';

describe('DynamoDB requests', () => {
  const seen: { isSigned: boolean; key: string | undefined; date: unknown }[] = [];
  const past = 'Sat, 01 Jan 2000 00:00:00 GMT';
  let next: { status: number; body: string; date?: string };
  let server: Server;
  let client: DynamoDBDocumentClient;
  const get = () =>
    client.send(new GetCommand({ TableName: 'invented', Key: { pk: 'á', sk: '#' } }));
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const signed = isSigned(request, await text(request));
      seen.push({
        isSigned: signed,
        key: /Credential=(\w+)/.exec(`${request.headers.authorization}`)?.[1],
        date: request.headers['x-amz-date'],
      });
      const { status, body, date } = next;
      // By default, Node.js adds its own date.
      response.sendDate = false;
      response.writeHead(status, { ...(date && { date }) }).end(body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    next = { status: 200, body: '{}', date: past };
    seen.length = 0;
    const endpoint = `http://127.0.0.1:${portOf(server)}`;
    const clock = () => ({ date: Date.UTC(2026, 1, 3), monotonic: 0 });
    const transport = createTransport(endpoint, clock, systemTimer);
    ({ client } = documentClient({ region: 'us-east-1', endpoint }, transport, clock));
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => server.close());

  it('are signed with the credentials that the environment has, at the time of the clock', async () => {
    await get();
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLEOTHER');
    await get();
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another-example-secret');
    await get();
    const date = '20260203T000000Z';
    expect(seen).toEqual([
      { isSigned: true, key: 'AKIAEXAMPLEBENCH', date },
      { isSigned: true, key: 'AKIAEXAMPLEOTHER', date },
      { isSigned: false, key: 'AKIAEXAMPLEOTHER', date },
    ]);
  });

  it.each([
    ['the clock of the database if it rejects that of the function', 'RequestExpired', past, 2000],
    ['its own clock if that rejection has no date', 'RequestExpired', undefined, 2026],
    ['its own clock after any other rejection', 'ValidationException', past, 2026],
  ])('are signed by %s', async (_, name, date, year) => {
    next = { ...dynamoError(400, name), ...(date && { date }) };
    await expect(get()).rejects.toMatchObject({ name });
    await expect(get()).rejects.toMatchObject({ name });
    expect(seen.map((request) => String(request.date).slice(0, 4))).toEqual(['2026', `${year}`]);
  });

  // The client removes middlewares by name, and the SDK may change the names.
  it('pass only the middlewares that they need', () => {
    const names = client.middlewareStack.identify().map((text) => text.split(' ', 1)[0]);
    expect(names).toEqual([
      'serializerMiddleware',
      'contentLengthMiddleware',
      'hostHeaderMiddleware',
      'retryMiddleware',
      'httpSigningMiddleware',
      'deserializerMiddleware',
    ]);
  });
});
