import { Agent } from 'node:https';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationName, operationNames } from '../../functions/contract/operations.ts';
import { applicationKey } from '../../functions/store/keys.ts';
import { credentials } from '../support/signature.ts';
import { buildReferences, bundleOf, type Contender, contenders, references } from './contenders.ts';
import { eventFor, variablesOf } from './lambda.ts';
import { type ContenderProcess, startProcess } from './measure/contender-process.ts';
import { recordOf } from './records.ts';
import type { Tokens } from './stub/issuer.ts';
import { found, unknown } from './stub/items.ts';
import { type Stub, startStub } from './stub/start.ts';

let stub: Stub;
const processes = recordOf(operationNames, () => new Map<Contender, ContenderProcess>());

beforeAll(async () => {
  [stub] = await Promise.all([startStub(), buildReferences()]);
  for (const operation of operationNames) {
    const started = contenders.map(async (name) => {
      const subject = await startProcess(bundleOf(name, operation), variablesOf(operation, stub));
      processes[operation].set(name, subject);
    });
    await Promise.all(started);
  }
});

afterAll(async () => {
  const all = operationNames.flatMap((operation) => [...processes[operation].values()]);
  await Promise.all(all.map((subject) => subject.stop()));
  await stub.stop();
});

async function answerOf(
  name: Contender,
  operation: OperationName,
  token: keyof Tokens = 'valid',
  pathParameters: Record<string, string> = found,
) {
  const events = [eventFor(operation, stub.tokens[token], pathParameters)];
  const made = await processes[operation].get(name)?.call({ events, times: 1 });
  const { statusCode = 0, headers = {}, body = '' } = made?.replies[0] ?? {};
  const names = Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]);
  return { statusCode, headers: Object.fromEntries(names), body: JSON.parse(body) };
}

describe.for(references)('the reference %s', (name) => {
  it('answers a read with the same application as ours', async () => {
    const answer = await answerOf(name, 'get-application');
    const ours = await answerOf('ours', 'get-application');
    expect(answer.body).toEqual(ours.body);
    expect(Object.keys(answer.body)).toEqual(Object.keys(ours.body));
    expect([answer.statusCode, ours.statusCode]).toEqual([200, 200]);
  });

  it('answers an update with the same body and version as ours', async () => {
    const answer = await answerOf(name, 'update-job-status');
    const ours = await answerOf('ours', 'update-job-status');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toEqual({ success: true });
    expect(answer.headers.etag).toBe('"2"');
    expect(ours).toMatchObject({ ...answer, headers: { etag: '"2"' } });
  });

  it.for(operationNames)('refuses what ours refuses: %s', async (operation) => {
    const statuses = async (who: Contender) => ({
      expired: (await answerOf(who, operation, 'expired')).statusCode,
      forged: (await answerOf(who, operation, 'forged')).statusCode,
      foreign: (await answerOf(who, operation, 'foreign')).statusCode,
      withoutScope: (await answerOf(who, operation, 'withoutScope')).statusCode,
      unknown: (await answerOf(who, operation, 'valid', unknown)).statusCode,
    });
    const expected = { expired: 401, forged: 401, foreign: 401, withoutScope: 403, unknown: 404 };
    expect(await statuses(name)).toEqual(expected);
    expect(await statuses('ours')).toEqual(expected);
  });
});

describe('the stub of DynamoDB', () => {
  it('refuses a request whose signature is made with another secret', async () => {
    const { pk, sk } = applicationKey('default', 'j-1', 'c-1');
    const read = (secretAccessKey: string) => {
      const client = new DynamoDBClient({
        region: 'us-east-1',
        endpoint: stub.databaseUrl,
        requestHandler: { httpsAgent: new Agent({ ca: stub.certificate }) },
        credentials: {
          accessKeyId: credentials.AWS_ACCESS_KEY_ID,
          secretAccessKey,
          sessionToken: credentials.AWS_SESSION_TOKEN,
        },
      });
      const Key = { pk: { S: pk }, sk: { S: sk } };
      return client.send(new GetItemCommand({ TableName: 'recruitment', Key }));
    };
    await expect(read(credentials.AWS_SECRET_ACCESS_KEY)).resolves.toHaveProperty('Item');
    await expect(read('another')).rejects.toThrow('The signature does not match.');
  });
});
