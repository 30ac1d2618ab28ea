import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { jobItem } from '../../support/items.ts';
import { useProxiedService } from '../../support/service.ts';

describe('a job that another has changed by a clock that is ahead', () => {
  const service = useProxiedService();
  const ahead = new Date(Date.now() + 60_000).toISOString();

  it('is changed after that, at the price of a second update', async () => {
    await service.table.put(jobItem({}, { status_changed_at: ahead }));
    service.proxy.expect('none');
    const { status, headers } = await service.updateJobStatus();
    expect(status).toBe(200);
    expect(headers.ETag).toBe('"2"');
    expect(service.proxy.requests).toHaveLength(2);
    const job = await service.table.read(jobKey('default', 'j-1'));
    expect(Date.parse(String(job?.status_changed_at))).toBe(Date.parse(ahead) + 1);
  });

  it.each([
    ['to the status that it has', { body: { status: 'draft' } }, 200],
    ['by a stale If-Match', { headers: { 'if-match': '"0"' } }, 412],
  ])('is not changed %s, at the price of one', async (_, request, expected) => {
    await service.table.put(jobItem({}, { status_changed_at: ahead }));
    service.proxy.expect('none');
    const { status } = await service.updateJobStatus(request);
    expect(status).toBe(expected);
    expect(service.proxy.requests).toHaveLength(1);
  });

  it('is not changed, and not tried again, where it was at the end of time', async () => {
    await service.table.put(jobItem({}, { status_changed_at: '9999-12-31T23:59:59.999Z' }));
    service.proxy.expect('none');
    const { status } = await service.updateJobStatus();
    expect(status).toBe(500);
    expect(service.proxy.requests).toHaveLength(1);
  });

  it('is tried five times where others always change it first', async () => {
    const Item = { status: 'draft', version: 1, status_changed_at: '2999-01-01T00:00:00.000Z' };
    const name = 'ConditionalCheckFailedException';
    const overtaken = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, Item: marshall(Item) };
    service.proxy.expect({ status: 400, body: JSON.stringify(overtaken) });
    const { status, body, headers } = await service.updateJobStatus();
    expect(service.proxy.requests).toHaveLength(5);
    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('1');
    expect(body.detail).toBe(problemTypes.unavailable.detail.contention);
  });
});
