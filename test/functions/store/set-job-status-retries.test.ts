import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../../functions/contract/problem.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { jobItem } from '../../support/items.ts';
import { jobLine, load, streamOf } from '../../support/records.ts';
import { loadFunctions, startProxiedService } from '../../support/service.ts';

const ok = (body: string) => ({ status: 200, body });

const refused = (item?: Record<string, unknown>) => ({
  status: 400,
  body: JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    ...(item && { Item: marshall({ status: 'draft', version: 1, ...item }) }),
  }),
});

describe('an update that is sent again', async () => {
  const service = await startProxiedService({ TRANSITION_POLICY: 'lifecycle' });
  const stored = () => service.table.read(jobKey('default', 'j-1'));
  beforeEach(() => service.table.put(jobItem({})));

  it.each([
    ['', {}],
    [', and is not refused because of its own earlier write by If-Match', { 'if-match': '"1"' }],
  ])('after a lost response is one change%s', async (_, headers) => {
    service.proxy.expect('response lost', 'none');
    const response = await service.updateJobStatus({ invocationId: 'change-1', headers });
    expect(service.proxy.requests).toHaveLength(2);
    expect(response).toMatchObject({ status: 200, headers: { ETag: '"2"' } });
    expect(response.body).toEqual({ success: true });
    const once = { status: 'published', previous_status: 'draft', version: 2 };
    expect(await stored()).toMatchObject({ ...once, last_change_id: 'change-1' });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['another request', () => service.updateJobStatus({ body: { status: 'paused' } }), 'paused'],
    [
      'an import with --replace',
      () => load(service.table, streamOf(jobLine('j-1', 'closed')), { replaces: true }),
      'closed',
    ],
  ])('is not made twice if its first attempt arrives after %s', async (_, change, status) => {
    const { promise: changed, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: landed, resolve: land } = Promise.withResolvers<void>();
    service.proxy.expect({ lateAfter: () => changed, landed: land }, 'none');
    expect((await service.updateJobStatus()).headers.ETag).toBe('"2"');
    await change();
    goOn();
    await landed;
    expect(await stored()).toMatchObject({ status, version: 3 });
  });

  /** Applies the update, changes `members` of the job as another program would, then loses the response. */
  const lostBefore = (members: Record<string, unknown>): Fault => ({
    respondsAfter: async () => service.table.put({ ...(await stored()), ...members }),
    doneBut: { status: 504, body: '' },
  });
  const byAnother = () => ({ status: 'archived', version: 3, last_change_id: 'of-another' });

  it.each<[string, Fault[], ifMatch?: string]>([
    ['its response is empty', [ok('{}')]],
    ['its response has no version', [ok('{"Attributes":{}}')]],
    ['its response has a word for a version', [ok('{"Attributes":{"version":{"S":"2"}}}')]],
    ['it is stale then', ['response lost', 'none'], '"0"'],
    ['another has changed the job by then', [lostBefore(byAnother()), 'none']],
    ['another has made it stale by then', [lostBefore(byAnother()), 'none'], '"1"'],
    ['an import has set another status by then', [lostBefore({ status: 'closed' }), 'none']],
    ['there is no job then', ['reset', refused()]],
    ['the job does not fit its schema then', ['reset', refused({ status: 'on-hold' })]],
    ['the version is not exact then', ['reset', refused({ version: 2 ** 53 - 1 })]],
    ['access is denied then', ['reset', dynamoError(400, 'AccessDeniedException')]],
  ])('has an unknown outcome if %s', async (_, faults, ifMatch) => {
    service.proxy.expect(...faults);
    const { status, headers, body } = await service.updateJobStatus({
      headers: { 'if-match': ifMatch },
    });
    const told = [status, headers['Retry-After'], headers.ETag, body.outcome_unknown, body.detail];
    expect(told).toEqual([503, '1', undefined, true, unavailable('outcomeUnknown').detail]);
  });

  it('says that nothing was changed if no attempt reaches the database', async () => {
    const nowhere = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };
    const { status, body } = await (await loadFunctions(service, nowhere)).updateJobStatus();
    expect(status).toBe(503);
    expect(body.detail).toBe(`${unavailable('database').detail} Nothing was changed.`);
  });

  it.each([
    ['others always change the job first', { fence: 253_402_300_799_999 }],
    ['the condition fails for a reason that the job does not show', {}],
  ])('is sent five times if %s', async (_, members) => {
    service.proxy.expect(refused(members));
    const { status, body, headers } = await service.updateJobStatus();
    expect(service.proxy.requests).toHaveLength(5);
    expect([status, headers['Retry-After']]).toEqual([503, '1']);
    expect(body.detail).toBe(`${unavailable('contention').detail} Nothing was changed.`);
  });
});
