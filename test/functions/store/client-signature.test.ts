import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseClient } from '../../../functions/store/client.ts';
import { Transport } from '../../../functions/store/transport.ts';
import { portOf } from '../../support/server.ts';
import { credentials, isSigned } from '../../support/signature.ts';

describe('the requests to the database', () => {
  const seen: { isSigned: boolean; key: string | undefined; agent: string | undefined }[] = [];
  let server: Server;
  let client: DynamoDBClient;
  let get: () => Promise<unknown>;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const signed = isSigned(request, await text(request));
      seen.push({
        isSigned: signed,
        key: /Credential=(\w+)/.exec(`${request.headers.authorization}`)?.[1],
        agent: request.headers['user-agent'],
      });
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${portOf(server)}`;
    client = databaseClient({ region: 'us-east-1', endpoint }, new Transport(endpoint));
    get = () =>
      client.send(
        new GetItemCommand({ TableName: 'invented', Key: { pk: { S: 'á' }, sk: { S: '#' } } }),
      );
  });
  afterAll(() => server.close());

  it('are signed with the credentials that the environment has at the time', async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    await get();
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLEOTHER');
    await get();
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another-example-secret');
    await get();
    vi.unstubAllEnvs();
    expect(seen).toMatchObject([
      { isSigned: true, key: 'AKIAEXAMPLEBENCH' },
      { isSigned: true, key: 'AKIAEXAMPLEOTHER' },
      { isSigned: false, key: 'AKIAEXAMPLEOTHER' },
    ]);
  });

  it('name the service to AWS', async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    await get();
    vi.unstubAllEnvs();
    expect(seen.at(-1)).toMatchObject({ agent: 'recruitment-service' });
  });

  it('pass the middlewares of the SDK that they need, and no others', () => {
    const names = client.middlewareStack
      .identify()
      .map((text) => text.replace(/ \(a\.k\.a\..*\)/, ''));
    expect(names).toEqual([
      'serializerMiddleware - serialize',
      'contentLengthMiddleware - build',
      'hostHeaderMiddleware - build',
      'retryMiddleware - finalizeRequest',
      'anonymous - after retryMiddleware',
      'httpSigningMiddleware - finalizeRequest',
      'deserializerMiddleware - deserialize',
    ]);
  });
});
