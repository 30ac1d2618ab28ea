import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { applicationKey, jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

describe('a stored job', async () => {
  const service = await startProxiedService();
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

  it('is not an application, even of the same identifiers', async () => {
    await service.table.put(applicationItem({ job: 'only-applied-to', candidate: 'JOB' }));
    expect((await set('only-applied-to', 'closed')).status).toBe(404);
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
