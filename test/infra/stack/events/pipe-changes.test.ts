import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { JobStatus } from '../../../../functions/domain/job.ts';
import { jobKey } from '../../../../functions/store/keys.ts';
import { changeDetail } from '../../../../infra/stack/events/transformation.ts';
import { applicationItem } from '../../../support/items.ts';
import { eventsOf, recordsOf, throughPipe } from '../../../support/job-events.ts';
import { applicationLine, jobLine, load, streamOf } from '../../../support/records.ts';
import { useService, useStream } from '../../../support/service.ts';

const service = useService();
useStream(service);
const importJob = (job: string, status: JobStatus = 'draft') =>
  load(service.table, streamOf(jobLine(job, status)));
const set = (job: string, status: JobStatus, request = {}) =>
  service.updateJobStatus({ pathParameters: { id: job }, body: { status }, ...request });

describe('a change of the status of a job', () => {
  it('is an event that says what changed, when, by whom and in which order', async () => {
    await importJob('told', 'published');
    const token = await service.issuer.mint({ sub: 'recruiter-9' });
    await set('told', 'paused', { token, invocationId: 'change-1' });
    const stored = await service.table.read(jobKey('default', 'told'));
    expect(await eventsOf(service, 'told')).toEqual([
      {
        id: 'change-1',
        occurred_at: stored?.status_changed_at,
        tenant_id: 'default',
        job_id: 'told',
        from: 'published',
        to: 'paused',
        actor: 'recruiter-9',
        sequence: '2',
      },
    ]);
  });

  it('is an event of its own each time, their sequences in order', async () => {
    await importJob('often');
    for (const status of ['published', 'closed', 'published', 'closed'] as const) {
      await set('often', status);
    }
    const events = await eventsOf(service, 'often');
    expect(events.map(({ from, to, sequence }) => [from, to, sequence])).toEqual([
      ['draft', 'published', '2'],
      ['published', 'closed', '3'],
      ['closed', 'published', '4'],
      ['published', 'closed', '5'],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  });

  it('does not say who made it if that is an e-mail address', async () => {
    await importJob('discreet');
    const token = await service.issuer.mint({ sub: 'ana@example.com' });
    await set('discreet', 'closed', { token });
    expect(await service.table.read(jobKey('default', 'discreet'))).toMatchObject({
      status_changed_by: 'ana@example.com',
    });
    const [event] = await eventsOf(service, 'discreet');
    expect(event?.actor).toBe('sha256:8e43ca37701228e7');
    expect(JSON.stringify(event)).not.toContain('ana');
  });
});

describe('the local service, which has no pipe', () => {
  it('makes the same event of a record', async () => {
    await importJob('local');
    await set('local', 'published');
    await set('local', 'closed');
    const records = await recordsOf(service, 'local');
    const events = throughPipe(records);
    expect(events).toHaveLength(2);
    expect(events.map(({ detail }) => detail)).toEqual(records.slice(1).map(changeDetail));
  });
});

describe('no event comes', () => {
  it('of an import, nor of one that replaces a job, changed or not, by another', async () => {
    await importJob('replaced');
    await importJob('replaced', 'published');
    expect(await eventsOf(service, 'replaced')).toEqual([]);
    await set('replaced', 'closed');
    await importJob('replaced', 'archived');
    await importJob('replaced', 'closed');
    expect(await recordsOf(service, 'replaced')).toHaveLength(5);
    expect(await eventsOf(service, 'replaced')).toHaveLength(1);
  });

  it('of a request for the status that the job has', async () => {
    await importJob('same');
    expect((await set('same', 'draft')).status).toBe(200);
    expect(await recordsOf(service, 'same')).toHaveLength(1);
    expect(await eventsOf(service, 'same')).toEqual([]);
  });

  it('of a request that is rejected', async () => {
    await importJob('rejected');
    const stale = { headers: { 'if-match': '"9"' } };
    expect((await set('rejected', 'closed', stale)).status).toBe(412);
    expect(await eventsOf(service, 'rejected')).toEqual([]);
  });

  it('of a removal, by hand or by the time to live', async () => {
    await importJob('removed');
    await set('removed', 'closed');
    const Key = jobKey('default', 'removed');
    await service.table.client.send(new DeleteCommand({ TableName: service.table.name, Key }));
    const removals = (await recordsOf(service, 'removed')).filter(
      ({ eventName }) => eventName === 'REMOVE',
    );
    expect(removals).toHaveLength(1);
    expect(throughPipe(removals)).toEqual([]);
    // How DynamoDB marks what its time to live removes; the embedded one removes nothing.
    const userIdentity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
    expect(throughPipe(removals.map((record) => ({ ...record, userIdentity })))).toEqual([]);
  });

  it('of another edit of a job, its status included', async () => {
    await importJob('edited');
    await set('edited', 'published');
    const item = { ...(await service.table.read(jobKey('default', 'edited'))) };
    await service.table.put({ ...item, title: 'Data Engineer' });
    await service.table.put({ ...item, status: 'closed' });
    await service.table.put({ ...item, previous_status: 'closed', status: 'closed' });
    expect(await recordsOf(service, 'edited')).toHaveLength(5);
    expect(await eventsOf(service, 'edited')).toHaveLength(1);
  });

  it('of an application, whatever it holds', async () => {
    await importJob('applied');
    await load(service.table, streamOf(applicationLine('c-1', { job_id: 'applied' })));
    await set('applied', 'closed');
    const job = await service.table.read(jobKey('default', 'applied'));
    const application = applicationItem({ job: 'applied' });
    await service.table.put({ ...application, status: 'draft' });
    await service.table.put({ ...job, ...application });
    expect(await recordsOf(service, 'applied')).toHaveLength(5);
    expect(await eventsOf(service, 'applied')).toHaveLength(1);
  });

  it('of the change of a job whose status was none of the five', async () => {
    await importJob('unknown');
    const item = await service.table.read(jobKey('default', 'unknown'));
    await service.table.put({ ...item, status: 'deleted' });
    expect((await set('unknown', 'closed')).status).toBe(200);
    expect(await eventsOf(service, 'unknown')).toEqual([]);
  });

  it.each([
    'tenant_id',
    'job_id',
    'version',
    'status_changed_at',
    'last_change_actor',
    'last_change_id',
  ])('of a record without %s, which an event needs', async (attribute) => {
    const job = `without-${attribute}`;
    await importJob(job);
    await set(job, 'closed');
    const [, change] = await recordsOf(service, job);
    const { [attribute]: lacking, ...NewImage } = change?.dynamodb.NewImage ?? {};
    expect(lacking).toBeDefined();
    expect(throughPipe([{ ...change }])).toHaveLength(1);
    const incomplete = { ...change, dynamodb: { ...change?.dynamodb, NewImage } };
    expect(throughPipe([incomplete])).toEqual([]);
  });
});
