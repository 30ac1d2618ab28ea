import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../../functions/contract/problem.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { jobItem } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

/** 9999-12-31T23:59:59.999Z, in milliseconds. */
const END_OF_TIME = 253_402_300_799_999;

describe('a job that another has changed by a clock that is ahead', async () => {
  const service = await startProxiedService();
  beforeEach(() => service.proxy.expect('none'));
  const fence = Date.now() + 60_000;
  const stored = () => service.table.read(jobKey('default', 'j-1'));

  it('is changed after that, at the price of a second update, and at the time of this clock', async () => {
    await service.table.put(jobItem({}, { fence }));
    const before = Date.now();
    const { status, headers } = await service.updateJobStatus();
    expect(status).toBe(200);
    expect(headers.ETag).toBe('"2"');
    expect(service.proxy.requests).toHaveLength(2);
    const job = await stored();
    expect(job?.fence).toBe(fence + 1);
    const changedAt = Date.parse(String(job?.status_changed_at));
    expect(changedAt).toBeGreaterThanOrEqual(before);
    expect(changedAt).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['a time', { status_changed_at: '9999-12-31T23:59:59.999Z' }],
    ['a fence', { fence: END_OF_TIME }],
    ['a fence that is almost the last', { fence: Number.MAX_SAFE_INTEGER - 1 }],
  ])('is not locked by %s ', async (_, members) => {
    await service.table.put(jobItem({}, members));
    const before = Date.now();
    expect((await service.updateJobStatus()).status).toBe(200);
    const changedAt = Date.parse(String((await stored())?.status_changed_at));
    expect(changedAt).toBeGreaterThanOrEqual(before);
    expect(changedAt).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['others always change it first', { fence: END_OF_TIME }],
    ['the condition fails for a reason that the job does not show', {}],
  ])('is tried five times if %s', async (_, members) => {
    const Item = { status: 'draft', version: 1, ...members };
    const name = 'ConditionalCheckFailedException';
    const overtaken = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, Item: marshall(Item) };
    service.proxy.expect({ status: 400, body: JSON.stringify(overtaken) });
    const { status, body, headers } = await service.updateJobStatus();
    expect(service.proxy.requests).toHaveLength(5);
    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('1');
    expect(body.detail).toBe(`${unavailable('contention').detail} Nothing was changed.`);
  });
});
