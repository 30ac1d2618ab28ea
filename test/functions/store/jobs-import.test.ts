import { beforeEach, describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import type { Fault } from '../../support/faults.ts';
import { jobLine, load, streamOf } from '../../support/records.ts';
import { useProxiedService } from '../../support/service.ts';

describe('an update whose first attempt arrives after an import of the job', () => {
  const service = useProxiedService();
  const importJob = (job: string, status: string) =>
    load(service.table, streamOf(jobLine(job, status)));
  let first: { arrives: () => Promise<void>; fault: Fault };
  beforeEach(() => {
    const { promise: changed, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: landed, resolve: land } = Promise.withResolvers<void>();
    const arrives = () => {
      goOn();
      return landed;
    };
    first = { arrives, fault: { lateAfter: () => changed, landed: land } };
  });
  const update = (job: string) => service.updateJobStatus({ pathParameters: { id: job } });
  const stored = (job: string) => service.table.read(jobKey('default', job));

  it('is not applied a second time', async () => {
    await importJob('again', 'draft');
    service.proxy.expect(first.fault, 'none');
    expect((await update('again')).headers.ETag).toBe('"2"');
    await importJob('again', 'closed');
    await first.arrives();
    expect(await stored('again')).toMatchObject({ status: 'closed', version: 3 });
  });

  it('was not told that there is no job', async () => {
    service.proxy.expect(first.fault, 'none');
    const { status, body } = await update('new');
    expect(status).toBe(503);
    expect(body.outcome_unknown).toBe(true);
    await importJob('new', 'draft');
    await first.arrives();
    expect(await stored('new')).toMatchObject({ status: 'published', version: 2 });
  });
});
