import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { HttpResponse } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest } from '@smithy/types';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { documentClient } from '../../../functions/store/client.ts';
import { credentials } from '../../support/credentials.ts';
import { dynamoError } from '../../support/faults.ts';

const NOW = Date.UTC(2026, 1, 3);
const PAST = 'Sat, 01 Jan 2000 00:00:00 GMT';

function start({ status = 200, body = '{}', date = '' } = {}) {
  const seen: HttpRequest[] = [];
  const handle = async (request: HttpRequest) => {
    seen.push(request);
    const headers = { ...(date && { date }) };
    const response = new HttpResponse({ statusCode: status, headers, body: Buffer.from(body) });
    return { response };
  };
  const environment = { region: 'us-east-1', endpoint: 'https://dynamodb.us-east-1.amazonaws.com' };
  const clock = () => ({ date: NOW, monotonic: 0 });
  const { client } = documentClient(environment, { handle }, clock);
  const command = new GetCommand({ TableName: 'invented', Key: { pk: 'á', sk: '#' } });
  return { client, seen, get: () => client.send(command) };
}

/** presign.test.ts compares the same signer with AWS's own example. */
function signed(request: HttpRequest, accessKeyId: string, secretAccessKey: string) {
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, sessionToken: credentials.AWS_SESSION_TOKEN },
    region: 'us-east-1',
    service: 'dynamodb',
    sha256: Sha256,
  });
  const { authorization: _, ...headers } = request.headers;
  return signer.sign({ ...request, headers }, { signingDate: new Date(NOW) });
}

describe('DynamoDB requests', () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  });
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [credentials.AWS_ACCESS_KEY_ID, credentials.AWS_SECRET_ACCESS_KEY],
    ['AKIAEXAMPLEOTHER', 'another-example-secret'],
  ])('are signed with the credentials that the environment has then: %s', async (key, secret) => {
    const { seen, get } = start({ date: PAST });
    vi.stubEnv('AWS_ACCESS_KEY_ID', key);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
    await get();
    expect(seen).toEqual(await Promise.all(seen.map((request) => signed(request, key, secret))));
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['the clock of the database if it rejects that of the function', 'RequestExpired', PAST, 2000],
    ['its own clock if that rejection has no date', 'RequestExpired', '', 2026],
    ['its own clock after any other rejection', 'ValidationException', PAST, 2026],
  ])('are signed by %s', async (_, name, date, year) => {
    const { seen, get } = start({ ...dynamoError(400, name), date });
    await expect(get()).rejects.toMatchObject({ name });
    await expect(get()).rejects.toMatchObject({ name });
    const years = seen.map(({ headers }) => headers['x-amz-date']?.slice(0, 4));
    expect(years).toEqual(['2026', `${year}`]);
  });

  // client.ts removes and replaces middlewares by name, and the SDK may rename them.
  it('pass the expected middlewares', async () => {
    const names = start()
      .client.middlewareStack.identify()
      .map((text) => text.split(' ', 1)[0]);
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
