import { setTimeout } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import type { Table } from '../../../infra/records/table.ts';
import { through } from '../../support/candidates.ts';
import { dynamoError } from '../../support/faults.ts';
import { test as it } from '../../support/fixtures.ts';
import { jobLine, jobRecord, load, streamOf } from '../../support/records.ts';

/** Within this time, a wrong second request would have arrived. */
const SECOND_REQUEST_MS = 200;

const key = jobKey('default', '1');
const members = { ...key, tenant_id: 'default', job_id: '1' };
const history = {
  previous_status: 'paused',
  status_changed_at: '2026-11-03T09:26:53.589Z',
  status_changed_by: 'recruiter-9',
  last_change_actor: 'recruiter-9',
};
const guard = { fence: 1_793_698_013_589, last_change_id: 'x' };
const changed = { ...members, status: 'closed', version: 9, ...guard, ...history };

const NOW = 1_795_000_000_000;
/** Above that of each request by a clock up to a minute fast. */
const FENCE = NOW + 60_000;
const replace = (table: Table, ...lines: string[]) =>
  load(table, streamOf(...lines), { replaces: true, clock: () => NOW });

describe('an import with --replace of a job that exists', () => {
  it('increments the version, raises the fence, and removes the history so that no event follows', async ({
    table,
  }) => {
    await table.put(changed);
    await replace(table, jobLine('1'));
    const kept = { ...guard, fence: FENCE };
    expect(await table.read(key)).toEqual({ ...members, status: 'draft', version: 10, ...kept });
  });

  it('raises only the fence if the status is the same, however often', async ({ table }) => {
    await table.put(changed);
    for (const fence of [FENCE, FENCE + 1]) {
      await replace(table, jobLine('1', 'closed'));
      expect(await table.read(key)).toEqual({ ...changed, fence });
    }
  });

  it('raises the fence above a stored one that is ahead', async ({ table }) => {
    await table.put({ ...changed, fence: FENCE + 7 });
    await replace(table, jobLine('1'));
    expect(await table.read(key)).toMatchObject({ status: 'draft', fence: FENCE + 8 });
  });

  it('gives version 1 to a stored job without a version', async ({ table }) => {
    await table.put({ ...key, status: 'closed' });
    await replace(table, jobLine('1'));
    const version = { version: 1, fence: FENCE };
    expect(await table.read(key)).toEqual({ ...members, status: 'draft', ...version });
  });

  it.for([
    { version: 'x' },
    { version: 0 },
    { version: 1.5 },
    { version: Number.MAX_SAFE_INTEGER },
    { version: 9, fence: 'x' },
    { version: 9, fence: Number.MAX_SAFE_INTEGER },
  ])(
    'stops at a job with an invalid version or fence, and leaves the job unchanged: %j',
    async (counts, { table }) => {
      const item = { ...key, status: 'closed', ...counts };
      await table.put(item);
      await expect(replace(table, jobLine('1'))).rejects.toThrow(/line 1 .*alarms\.md/);
      expect(await table.read(key)).toEqual(item);
    },
  );

  it('increments the version once even if a response is lost', async ({ table, proxy }) => {
    await table.put(changed);
    proxy.expect('none', 'response lost', 'none');
    await replace(through(proxy, table, 2), jobLine('1'));
    expect(proxy.requests).toHaveLength(3);
    expect(await table.read(key)).toMatchObject({ status: 'draft', version: 10 });
  });

  it('stops without a retry if DynamoDB rejects the request', async ({ table, proxy }) => {
    proxy.expect(dynamoError(400, 'AccessDeniedException'));
    await expect(replace(through(proxy, table, 2), jobLine('1'))).rejects.toThrow('Invented.');
    expect(proxy.requests).toHaveLength(1);
  });

  it('begins after the previous line is written, if both lines are the same job', async ({
    table,
    proxy,
  }) => {
    let sent = 0;
    const respondsAfter = async () => {
      await setTimeout(SECOND_REQUEST_MS);
      sent = proxy.requests.length;
    };
    proxy.expect({ respondsAfter }, 'none');
    await replace(through(proxy, table), jobLine('1', 'draft'), jobLine('1', 'closed'));
    expect(sent).toBe(1);
    expect(await table.read(key)).toMatchObject({ status: 'closed', version: 2 });
  });

  it('updates the job again if a request has changed the job meanwhile', async ({
    table,
    proxy,
  }) => {
    await table.put(changed);
    const change = { ...changed, status: 'paused', version: 10, fence: guard.fence + 1 };
    proxy.expect({ respondsAfter: () => table.put(change) }, 'none');
    await replace(through(proxy, table), jobLine('1'));
    const kept = { fence: FENCE, last_change_id: 'x' };
    expect(await table.read(key)).toEqual({ ...members, status: 'draft', version: 11, ...kept });
  });
});

it('an import with --replace stores a job that was removed meanwhile', async ({ table, proxy }) => {
  await table.put(changed);
  const remove = () => table.client.send(new DeleteCommand({ TableName: table.name, Key: key }));
  proxy.expect({ respondsAfter: remove }, 'none');
  await replace(through(proxy, table), jobLine('1'));
  const version = { version: 10, fence: FENCE };
  expect(await table.read(key)).toEqual({ ...members, status: 'draft', ...version });
});

describe('a late attempt of an import', () => {
  function late(before: () => Promise<unknown>) {
    const { promise: landed, resolve } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const fault = { lateAfter: () => ended.then(before), landed: resolve };
    return { fault, arrive: () => Promise.all([end(), landed]) };
  }

  it.for(['exists', 'is new'])(
    'undoes no later change of a job that %s',
    async (state, { table, proxy }) => {
      const exists = state === 'exists';
      if (exists) await table.put(changed);
      const change = { ...changed, status: 'paused', version: 77 };
      const { fault, arrive } = late(() => table.put(change));
      proxy.expect(...(exists ? (['none'] as const) : []), fault, 'none');
      await replace(through(proxy, table, 2), jobLine('1'));
      expect(await table.read(key)).toMatchObject({ status: 'draft' });
      await arrive();
      expect(await table.read(key)).toEqual(change);
    },
  );

  it('undoes no later import that only raised the fence', async ({ table, proxy }) => {
    await table.put(changed);
    const { fault, arrive } = late(async () => undefined);
    proxy.expect('none', fault);
    await expect(replace(through(proxy, table), jobLine('1'))).rejects.toThrow();
    await replace(table, jobLine('1', 'closed'));
    await arrive();
    expect(await table.read(key)).toEqual({ ...changed, fence: FENCE });
  });

  it('does not replace the next line of the same job', async ({ table, proxy }) => {
    await table.put(changed);
    const { fault, arrive } = late(async () => undefined);
    proxy.expect('none', fault, 'none');
    const lines = [jobLine('1', 'archived'), jobLine('1', 'paused')];
    await replace(through(proxy, table, 2), ...lines);
    await arrive();
    expect(await table.read(key)).toMatchObject({ status: 'paused', version: 11 });
  });
});

it('a late attempt of an API request changes nothing after an import with --replace', async ({
  table,
}) => {
  const sent = { fence: NOW + 59_999 };
  await table.put({ ...changed, fence: NOW - 1000 });
  await replace(table, jobLine('1', 'closed'));
  const attempt = table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: key,
      UpdateExpression: 'SET #status = :status',
      ConditionExpression: 'fence < :fence',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': 'paused', ':fence': sent.fence },
    }),
  );
  await expect(attempt).rejects.toThrow(ConditionalCheckFailedException);
});

describe.each([true, false])('the import of a job with its history, replaces %j', (replaces) => {
  const { pk, sk, tenant_id, job_id, ...recorded } = changed;
  const line = JSON.stringify(jobRecord({ id: '1', ...recorded }));

  it('stores the history once if the job does not exist, even if a response is lost', async ({
    table,
    proxy,
  }) => {
    proxy.expect('response lost', 'none');
    await load(through(proxy, table, 2), streamOf(line), { replaces });
    expect(proxy.requests).toHaveLength(2);
    expect(await table.read(key)).toEqual(changed);
  });

  it('stores no history of a job that exists', async ({ table }) => {
    const stored = { ...members, status: 'draft', version: 20, fence: 5, last_change_id: 'y' };
    await table.put(stored);
    await load(table, streamOf(line), { replaces, clock: () => NOW });
    const replaced = { ...stored, status: 'closed', version: 21, fence: FENCE };
    expect(await table.read(key)).toEqual(replaces ? replaced : stored);
  });
});
