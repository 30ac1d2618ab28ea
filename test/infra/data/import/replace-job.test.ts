import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from 'vitest';
import { jobKey } from '../../../../functions/store/keys.ts';
import type { Table } from '../../../../infra/data/records/table.ts';
import { through } from '../../../support/candidates.ts';
import { test as it } from '../../../support/fixtures.ts';
import { jobLine, load, streamOf } from '../../../support/records.ts';

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
/** Above the fence of every earlier request, even one from a clock a minute fast. */
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
});

it('an import with --replace stores a job that was removed meanwhile', async ({ table, proxy }) => {
  await table.put(changed);
  const remove = () => table.client.send(new DeleteCommand({ TableName: table.name, Key: key }));
  proxy.expect({ respondsAfter: remove }, 'none');
  await replace(through(proxy, table), jobLine('1'));
  const version = { version: 10, fence: FENCE };
  expect(await table.read(key)).toEqual({ ...members, status: 'draft', ...version });
});

it('an import with --replace tries again, however often the job changes meanwhile', async ({
  table,
  proxy,
}) => {
  await table.put(changed);
  const changeTo = (version: number) => ({
    respondsAfter: () => table.put({ ...changed, version }),
  });
  // Each answer shows the job as it was before the change, so the next update is refused.
  proxy.expect(changeTo(10), changeTo(11), changeTo(12), 'none');
  await replace(through(proxy, table), jobLine('1'));
  expect(proxy.requests).toHaveLength(5);
  expect(await table.read(key)).toMatchObject({ status: 'draft', version: 13, fence: FENCE });
});

it('an import with --replace lowers no fence that was raised meanwhile', async ({
  table,
  proxy,
}) => {
  await table.put(changed);
  const raised = { ...changed, fence: FENCE + 7 };
  proxy.expect({ respondsAfter: () => table.put(raised) }, 'none');
  await replace(through(proxy, table), jobLine('1'));
  expect(await table.read(key)).toMatchObject({ status: 'draft', fence: FENCE + 8 });
});

it('a late attempt of an import undoes no later import that only raised the fence', async ({
  table,
  proxy,
}) => {
  await table.put(changed);
  const landed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  proxy.expect('none', { lateAfter: () => ended.promise, landed: landed.resolve });
  await expect(replace(through(proxy, table), jobLine('1'))).rejects.toThrow();
  await replace(table, jobLine('1', 'closed'));
  ended.resolve();
  await landed.promise;
  expect(await table.read(key)).toEqual({ ...changed, fence: FENCE });
});
