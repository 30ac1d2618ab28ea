import { beforeEach, describe, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import type { Table } from '../../../../infra/cli/table.ts';
import {
  expireApplications,
  type RetentionCounts,
} from '../../../../infra/operations/retention/expire-applications.ts';
import { apply, HOSTILE_JOBS, jobs, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { applicationItem, jobItem, leastApplication } from '../../../support/items.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const now = () => Math.floor(Date.now() / 1000);
const EXPIRY = Date.parse('2026-09-14T12:30:45.123Z') / 1000 + 36_500 * 86_400;

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

const expire = (options = {}, on: Table = table) =>
  expireApplications({
    ...{ table: on, tenant: 'default', days: 36_500, isDryRun: false },
    ...options,
  });
const expiries = async () => (await storedIn(table)).map(({ expires_at }) => expires_at);

describe('the retention of a tenant', () => {
  it('sets the expiry of applications that have none, once', async () => {
    await apply(table, { id: 'c#1' }, HOSTILE_JOBS);
    const count = HOSTILE_JOBS.length;
    expect(await expire()).toEqual({ set: count, expired: 0, withoutDate: 0 });
    expect(await expiries()).toEqual(Array.from({ length: count }, () => Math.floor(EXPIRY)));
    expect(await expire({ days: 1 })).toEqual({ set: 0, expired: 0, withoutDate: 0 });
    expect(await expiries()).toEqual(Array.from({ length: count }, () => Math.floor(EXPIRY)));
  });

  it('lets older ones expire at once, so that DynamoDB deletes them', async () => {
    await apply(table, {}, ['4007'], { created_at: '2012-09-14T12:30:45.123Z' });
    const before = now();
    expect(await expire({ days: 365 })).toEqual({ set: 1, expired: 1, withoutDate: 0 });
    const [expiry] = await expiries();
    expect(expiry).toBeGreaterThanOrEqual(before);
    expect(expiry).toBeLessThanOrEqual(now());
  });

  it('leaves jobs, other tenants and applications with an expiry as they are', async () => {
    await table.put(jobItem({ job: '1' }, { created_at: leastApplication.created_at }));
    await apply(table, { tenant: 'acme' }, ['1']);
    await apply(table, { tenant: 'default#' }, ['1']);
    await apply(table, {}, ['1'], { expires_at: 4_102_444_800 });
    const before = await storedIn(table);
    expect(await expire()).toEqual({ set: 0, expired: 0, withoutDate: 0 });
    expect(await storedIn(table)).toEqual(before);
  });

  it('changes nothing else of an application, and nothing at all in a dry run', async () => {
    await apply(table, {}, ['1']);
    const before = await storedIn(table);
    expect(await expire({ isDryRun: true, days: 1 })).toEqual({
      set: 1,
      expired: 1,
      withoutDate: 0,
    });
    expect(await storedIn(table)).toEqual(before);
    await expire();
    expect(await storedIn(table)).toEqual(
      before.map((item) => ({ ...item, expires_at: Math.floor(EXPIRY) })),
    );
  });

  it('counts those without a date, and leaves them', async () => {
    const item = applicationItem({}, { ...leastApplication, created_at: 'yesterday' });
    await table.put(item);
    expect(await expire()).toEqual({ set: 0, expired: 0, withoutDate: 1 });
    expect(await storedIn(table)).toEqual([item]);
  });

  it('goes over many pages', async () => {
    // Of 1 MB each (DynamoDB API Reference, Scan).
    await apply(table, {}, jobs(30), { summary: 'x'.repeat(100_000) });
    const pages: [read: number, set: number][] = [];
    const onProgress = (read: number, { set }: RetentionCounts) => pages.push([read, set]);
    expect(await expire({ onProgress })).toEqual({ set: 30, expired: 0, withoutDate: 0 });
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.at(-1)?.[1]).toBe(30);
    for (const [read, set] of pages) expect(read).toBeGreaterThanOrEqual(set);
  });

  it('changes some at once', async () => {
    await apply(table, {}, jobs(20));
    const proxy = await FaultyProxy.start();
    proxy.expect('none', 'hang');
    const expiring = expire({}, through(proxy, table));
    const stopped = expect(expiring).rejects.toMatchObject({ counts: { set: 0 } });
    // One scan, and the updates, none of which is answered.
    await expect.poll(() => proxy.requests.length).toBe(11);
    await proxy.stop();
    await stopped;
  });

  it('counts an application whose update got no response, once', async () => {
    await apply(table, {}, jobs(1));
    const proxy = await FaultyProxy.start();
    proxy.expect('none', 'answer lost', 'none');
    expect(await expire({}, through(proxy, table, 2))).toMatchObject({ set: 1 });
    expect(await expiries()).toEqual([Math.floor(EXPIRY)]);
    await proxy.stop();
  });

  it('stops if the table rejects a request, and another run finishes it', async () => {
    await apply(table, {}, jobs(3));
    const proxy = await FaultyProxy.start();
    proxy.expect('none', 'none', dynamoError(400, 'AccessDeniedException'));
    await expect(expire({}, through(proxy, table))).rejects.toMatchObject({
      counts: { set: 1 },
      cause: { message: 'Invented.' },
    });
    expect(await expire()).toMatchObject({ set: 2 });
    await proxy.stop();
  });

  it('does not bring back what is removed, nor date what is replaced, at the same time', async () => {
    await apply(table, {}, jobs(2));
    const proxy = await FaultyProxy.start();
    const { sk } = applicationKey('default', '', 'c-1');
    const Items = jobs(3).map((job) => ({
      pk: { S: applicationKey('default', job, 'c-1').pk },
      sk: { S: sk },
      created_at: { S: '2020-01-01T00:00:00.000Z' },
    }));
    const before = await storedIn(table);
    proxy.expect({ status: 200, body: JSON.stringify({ Items, Count: 3 }) }, 'none');
    const counts = await expire({}, through(proxy, table));
    expect(counts).toEqual({ set: 0, expired: 0, withoutDate: 0 });
    expect(await storedIn(table)).toEqual(before);
    await proxy.stop();
  });
});
