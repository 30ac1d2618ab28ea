import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smokeTest } from '../../../../infra/operations/smoke/smoke-test.ts';
import { storedIn } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const refused = dynamoError(400, 'AccessDeniedException');
const lost = 'The job cannot be made. It failed with ECONNRESET.';

describe('a smoke test that cannot make its job', () => {
  let proxy: FaultyProxy;
  let table: TestTable;
  beforeAll(async () => {
    proxy = await FaultyProxy.start();
    table = await createTestTable();
  });
  afterAll(() => proxy.stop());

  const test = (...faults: Fault[]) => {
    proxy.expect(...faults);
    const client = new DynamoDBClient({ endpoint: proxy.url, maxAttempts: 1 });
    const signal = new AbortController().signal;
    const access = { baseUrl: new URL(proxy.url), timeoutMs: 1000, token: 'x', signal };
    const behind = { client, tableName: table.name };
    return smokeTest({ access, table: behind, tenant: 'default', report: () => undefined });
  };

  it('removes what may have been written, and says why it was not made', async () => {
    await expect(test('answer lost', 'none')).rejects.toThrow(new Error(lost));
    expect(proxy.requests).toHaveLength(2);
    expect(await storedIn(table)).toEqual([]);
  });

  it('says what may be left after that, where it cannot be removed', async () => {
    await expect(test('answer lost', refused)).rejects.toThrow(
      /^The job cannot be made\. .*ECONNRESET\. The job smoke-.* may be left in the table.*AccessDenied/,
    );
  });

  it('speaks of nothing left where the table has refused', async () => {
    await expect(test(refused)).rejects.toThrow(
      new Error('The job cannot be made. AccessDeniedException: Invented.'),
    );
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('npm run smoke, where the table cannot be reached', () => {
  const { AWS_REGION: _, ...elsewhere } = environment();
  const { AWS_ACCESS_KEY_ID: __, AWS_SECRET_ACCESS_KEY: ___, ...nobody } = environment();

  it.each([
    ['no table', environment(), 'There is no table NOPE in this account and region.'],
    ['no region', elsewhere, 'No AWS region is set: give one with --region, or set AWS_REGION.'],
    [
      'no credentials',
      nobody,
      'There are no AWS credentials: log in, or name a profile in AWS_PROFILE.',
    ],
  ])('says so alone: %s', async (_, env, why) => {
    const args = ['--base-url', 'http://127.0.0.1:1', '--table', 'NOPE'];
    const run = runCommand('smoke', args, { env: { ...env, TOKEN: 'x' } });
    expect(await run).toMatchObject({ exitCode: 1, err: `The job cannot be made. ${why}\n` });
  });
});
