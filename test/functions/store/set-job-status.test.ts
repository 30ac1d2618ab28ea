import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { MAX_VERSION } from '../../../functions/domain/job.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { jobItem } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

/** 9999-12-31T23:59:59.999Z, in milliseconds. */
const END_OF_TIME = 253_402_300_799_999;

describe('a stored job', async () => {
  const service = await startProxiedService();
  const set = (job: string, status: string, ifMatch?: string) =>
    service.updateJobStatus({
      pathParameters: { id: job },
      body: { status },
      ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
    });
  const stored = (job: string) => service.table.read(jobKey('default', job));

  it('may leave a status that is none of the five if the policy allows every move', async () => {
    await service.table.put(jobItem({ job: 'foreign' }, { status: 'on-hold' }));
    expect((await set('foreign', 'closed')).status).toBe(200);
    expect(await stored('foreign')).toMatchObject({ status: 'closed', version: 2 });
  });

  it('is invalid if its version was a fraction, which the update cannot see', async () => {
    await service.table.put(jobItem({ job: 'fraction' }, { version: 1.5 }));
    for (const status of ['closed', 'closed']) {
      const { status: code, body } = await set('fraction', status);
      expect(code).toBe(500);
      expect(body).toEqual(problemBody('stored_data_invalid'));
    }
    expect(await stored('fraction')).toMatchObject({ status: 'closed', version: 2.5 });
  });

  it('may have numbers of its own that are beyond those of JavaScript', async () => {
    const budget = NumberValue.from('12345678901234567890.5');
    await service.table.put(jobItem({ job: 'expensive' }, { budget }));
    expect((await set('expensive', 'closed', '"9"')).status).toBe(412);
  });

  const exact = 2 ** 53 - 1;
  it.each<[string, Record<string, unknown>, ifMatch?: string]>([
    ['status must be equal to one of', { status: 'must-not-leave' }, '"9"'],
    ['last_change_id must be string', { last_change_id: 7 }, '"9"'],
    ['version must be integer', { version: 'must-not-leave' }, '"9"'],
    ['version must be integer', { version: 1.5 }, '"9"'],
    ['version must be integer', { version: 'must-not-leave' }],
    ['version must be <= 9007199254740990', { version: exact }],
    ['version must be >= 1', { version: 0 }, '"0"'],
    ['version must be >= 1', { version: 0 }],
    ["must have required property 'version'", { version: undefined }],
    ['fence must be <= 9007199254740990', { fence: exact }],
    ['fence must be <= 9007199254740990', { fence: NumberValue.from('1E+125') }],
    ['fence must be integer', { fence: 'must-not-leave' }],
  ])(
    'is invalid if %s, which the log says without a value (%j, If-Match: %s)',
    async (fault, members, ifMatch) => {
      await service.table.put(jobItem({ job: 'misfit' }, members));
      const before = await stored('misfit');
      const { status, body } = await set('misfit', 'closed', ifMatch);
      expect(status).toBe(500);
      expect(body).toEqual(problemBody('stored_data_invalid'));
      const detail = expect.stringContaining(`A stored job is invalid: ${fault}`);
      expect(service.log.lines).toMatchObject([
        { level: 'WARN', outcome: 'stored_data_invalid', failure: { detail } },
      ]);
      expect(service.log.text).not.toContain('must-not-leave');
      expect(await stored('misfit')).toEqual(before);
    },
  );
});

describe('a job that another has changed by a clock that is ahead', async () => {
  const service = await startProxiedService();

  it.each([
    ['fence', { fence: Date.now() + 60_000 }, 2],
    ['fence, even at the end of time', { fence: END_OF_TIME }, 2],
    ['fence, even the last but one', { fence: MAX_VERSION }, 2],
    ['time, which is not compared', { status_changed_at: '9999-12-31T23:59:59.999Z' }, 1],
  ])('is changed despite its %s', async (_, members, requests) => {
    await service.table.put(jobItem({}, members));
    service.proxy.expect('none');
    const before = Date.now();
    const { status, headers } = await service.updateJobStatus();
    expect([status, headers.ETag]).toEqual([200, '"2"']);
    expect(service.proxy.requests).toHaveLength(requests);
    const job = await service.table.read(jobKey('default', 'j-1'));
    if ('fence' in members) expect(job?.fence).toBe(members.fence + 1);
    const changedAt = Date.parse(String(job?.status_changed_at));
    expect(changedAt).toBeGreaterThanOrEqual(before);
    expect(changedAt).toBeLessThanOrEqual(Date.now());
  });
});
