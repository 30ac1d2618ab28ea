import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemTimer } from '../../../functions/platform/clock.ts';
import { documentClient } from '../../../functions/store/client.ts';
import { createTransport } from '../../../functions/store/transport.ts';
import { dynamoError } from '../../support/faults.ts';
import { portOf } from '../../support/server.ts';
import { credentials, isSigned } from '../../support/signature.ts';

const PAST = 'Sat, 01 Jan 2000 00:00:00 GMT';

interface Seen {
  isSigned: boolean;
  key: string | undefined;
  date: unknown;
}

async function start({ status = 200, body = '{}', date = '' } = {}) {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    seen.push({
      isSigned: isSigned(request, await text(request)),
      key: /Credential=(\w+)/.exec(`${request.headers.authorization}`)?.[1],
      date: request.headers['x-amz-date'],
    });
    // Otherwise Node.js would add the current date.
    response.sendDate = false;
    response.writeHead(status, { ...(date && { date }) }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    vi.unstubAllEnvs();
  });
  const endpoint = `http://127.0.0.1:${portOf(server)}`;
  const clock = () => ({ date: Date.UTC(2026, 1, 3), monotonic: 0 });
  const transport = createTransport(endpoint, clock, systemTimer);
  const { client } = documentClient({ region: 'us-east-1', endpoint }, transport, clock);
  const command = new GetCommand({ TableName: 'invented', Key: { pk: 'á', sk: '#' } });
  return { client, seen, get: () => client.send(command) };
}

describe('DynamoDB requests', () => {
  it('are signed with the credentials that the environment has, at the time of the clock', async () => {
    const { seen, get } = await start({ date: PAST });
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
    ['the clock of the database if it rejects that of the function', 'RequestExpired', PAST, 2000],
    ['its own clock if that rejection has no date', 'RequestExpired', '', 2026],
    ['its own clock after any other rejection', 'ValidationException', PAST, 2026],
  ])('are signed by %s', async (_, name, date, year) => {
    const { seen, get } = await start({ ...dynamoError(400, name), date });
    await expect(get()).rejects.toMatchObject({ name });
    await expect(get()).rejects.toMatchObject({ name });
    expect(seen.map((request) => String(request.date).slice(0, 4))).toEqual(['2026', `${year}`]);
  });

  // client.ts removes and replaces middlewares by name, and the SDK may rename them.
  it('pass the expected middlewares', async () => {
    const { client } = await start();
    const names = client.middlewareStack.identify().map((text) => text.split(' ', 1)[0]);
    expect(names).toEqual([
      'loggerMiddleware',
      'serializerMiddleware',
      'contentLengthMiddleware',
      'hostHeaderMiddleware',
      'retryMiddleware',
      'httpSigningMiddleware',
      'deserializerMiddleware',
    ]);
  });
});
