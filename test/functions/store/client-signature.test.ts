import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemTimer } from '../../../functions/runtime/moment.ts';
import { documentClient } from '../../../functions/store/client.ts';
import { Transport } from '../../../functions/store/transport.ts';
import { portOf } from '../../support/server.ts';
import { credentials, isSigned } from '../../support/signature.ts';

describe('the requests to the database', () => {
  const seen: { isSigned: boolean; key: string | undefined; date: unknown }[] = [];
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
      // A cache or a slow network may have made it wrong.
      response.setHeader('date', 'Sat, 01 Jan 2000 00:00:00 GMT');
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${portOf(server)}`;
    const clock = () => ({ date: Date.UTC(2026, 1, 3), monotonic: 0 });
    const transport = new Transport(endpoint, clock, systemTimer);
    client = documentClient({ region: 'us-east-1', endpoint }, transport, clock);
  });
  afterAll(() => server.close());

  it('are signed with the credentials that the environment has, at the time of the clock', async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    await get();
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLEOTHER');
    await get();
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another-example-secret');
    await get();
    vi.unstubAllEnvs();
    const date = '20260203T000000Z';
    expect(seen).toEqual([
      { isSigned: true, key: 'AKIAEXAMPLEBENCH', date },
      { isSigned: true, key: 'AKIAEXAMPLEOTHER', date },
      { isSigned: false, key: 'AKIAEXAMPLEOTHER', date },
    ]);
  });

  // Those that take time and do nothing here are removed by name, which the SDK may change.
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
