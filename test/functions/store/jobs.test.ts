import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { applicationKey, jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { useProxiedService } from '../../support/service.ts';

describe('a stored job', () => {
  const service = useProxiedService();
  const set = (job: string, status: string, ifMatch?: string) =>
    service.updateJobStatus({
      pathParameters: { id: job },
      body: { status },
      ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
    });
  const stored = (job: string) => service.table.read(jobKey('default', job));

  it('keeps its applications as they are when it is closed or archived', async () => {
    const application = applicationItem({ job: 'closing' });
    await service.table.put(application);
    await service.table.put(jobItem({ job: 'closing' }));
    await set('closing', 'closed');
    await set('closing', 'archived');
    expect((await stored('closing'))?.status).toBe('archived');
    expect(await service.table.read(applicationKey('default', 'closing', 'c-1'))).toEqual(
      application,
    );
  });

  it('may leave a status that is none of the five if the policy allows every move', async () => {
    await service.table.put(jobItem({ job: 'foreign' }, { status: 'on-hold' }));
    expect((await set('foreign', 'closed')).status).toBe(200);
    expect(await stored('foreign')).toMatchObject({ status: 'closed', version: 2 });
  });

  it('is a fault of ours if its version was a fraction, which the update cannot see', async () => {
    await service.table.put(jobItem({ job: 'fraction' }, { version: 1.5 }));
    for (const status of ['closed', 'closed']) {
      const { status: code, body } = await set('fraction', status);
      expect(code).toBe(500);
      expect(body).toEqual(problemBody('internal'));
    }
    expect(await stored('fraction')).toMatchObject({ status: 'closed', version: 2.5 });
  });

  it('may have numbers of its own that are beyond those of JavaScript', async () => {
    const budget = NumberValue.from('12345678901234567890.5');
    await service.table.put(jobItem({ job: 'expensive' }, { budget }));
    expect((await set('expensive', 'closed', '"9"')).status).toBe(412);
  });

  it('is not an application, even of the same identifiers', async () => {
    await service.table.put(applicationItem({ job: 'only-applied-to', candidate: 'JOB' }));
    expect((await set('only-applied-to', 'closed')).status).toBe(404);
  });

  describe('that does not fit its schema', () => {
    const internal = problemBody('internal');
    beforeAll(async () => {
      await service.table.put(jobItem({ job: 'unknown' }, { status: 'must-not-leave' }));
      await service.table.put(jobItem({ job: 'miscalled' }, { last_change_id: 7 }));
      await service.table.put(jobItem({ job: 'uncountable' }, { version: 2 ** 53 - 1 }));
      await service.table.put(jobItem({ job: 'minus' }, { version: -1 }));
      await service.table.put(jobItem({ job: 'half' }, { version: 1.5 }));
      await service.table.put(jobItem({ job: 'without-version' }, { version: undefined }));
      await service.table.put(jobItem({ job: 'fenced' }, { fence: 2 ** 53 - 1 }));
      await service.table.put(jobItem({ job: 'endless' }, { fence: NumberValue.from('1E+125') }));
      await service.table.put(jobItem({ job: 'wall' }, { fence: 'must-not-leave' }));
      await service.table.put(jobItem({ job: 'unversioned' }, { version: 'must-not-leave' }));
    });

    it.each([
      ['whose status is unknown', 'unknown', '"9"'],
      ['whose last change is identified by a number', 'miscalled', '"9"'],
      ['whose version is no number', 'unversioned', '"9"'],
      ['whose version is a fraction', 'half', '"9"'],
      ['whose version is a word, without If-Match', 'unversioned', undefined],
      ['whose version is the last that is exact', 'uncountable', undefined],
      ['whose version is below zero', 'minus', undefined],
      ['that has no version', 'without-version', undefined],
      ['whose fence is the last number that is exact', 'fenced', undefined],
      ['whose fence is not exact', 'endless', undefined],
      ['whose fence is no number', 'wall', undefined],
    ])(
      'is a fault of ours, of which the answer and the log say nothing more: %s',
      async (_, job, ifMatch) => {
        const before = await stored(job);
        const { status, body } = await set(job, 'closed', ifMatch);
        expect(status).toBe(500);
        expect(body).toEqual(internal);
        expect(service.log.lines).toMatchObject([
          {
            outcome: 'internal',
            failure: { code: 'internal', detail: expect.stringContaining('schema') },
          },
        ]);
        expect(service.log.text).not.toContain('must-not-leave');
        expect(await stored(job)).toEqual(before);
      },
    );
  });
});
