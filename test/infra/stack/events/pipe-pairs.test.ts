import { describe, expect, it } from 'vitest';
import { jobStatuses } from '../../../../functions/domain/job.ts';
import { eventsOf } from '../../../support/job-events.ts';
import { jobLine, load, streamOf } from '../../../support/records.ts';
import { useProxiedService, useService, useStream } from '../../../support/service.ts';

describe('every pair of statuses', () => {
  const service = useService();
  useStream(service);
  const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => [from, to] as const));

  it.each(pairs)('%s to %s is an event if it is a change', async (from, to) => {
    const job = `${from}-${to}`;
    await load(service.table, streamOf(jobLine(job, from)));
    await service.updateJobStatus({ pathParameters: { id: job }, body: { status: to } });
    const events = await eventsOf(service, job);
    expect(events.map((event) => [event.from, event.to])).toEqual(from === to ? [] : [[from, to]]);
  });
});

describe('a change whose answer was lost', () => {
  const proxied = useProxiedService();
  useStream(proxied);

  it('is retried, and is one event', async () => {
    await load(proxied.table, streamOf(jobLine('lost')));
    proxied.proxy.expect('answer lost', 'none');
    const change = { pathParameters: { id: 'lost' }, invocationId: 'change-1' };
    expect((await proxied.updateJobStatus(change)).status).toBe(200);
    expect(proxied.proxy.requests).toHaveLength(2);
    const events = await eventsOf(proxied, 'lost');
    expect(events.map(({ id }) => id)).toEqual(['change-1']);
  });

  it('is one event too if the client retries it', async () => {
    await load(proxied.table, streamOf(jobLine('again')));
    const change = { pathParameters: { id: 'again' } };
    proxied.proxy.expect('answer lost');
    expect((await proxied.updateJobStatus(change)).status).toBe(503);
    proxied.proxy.expect('none');
    expect((await proxied.updateJobStatus(change)).status).toBe(200);
    expect(await eventsOf(proxied, 'again')).toHaveLength(1);
  });
});

describe('hostile names', () => {
  const tenants = useService({ TENANT_CLAIM: 'org_id' });
  useStream(tenants);

  it.each([
    'quote"s',
    '","actor":"other',
    'back\\slash\\',
    '\\"',
    '<$.dynamodb.NewImage.version.N>',
    '<aws.pipes.pipe-arn>',
    '{"S": 1}',
    "it's & </script>",
    '{{resolve:secretsmanager:x}}',
    'TENANT#other#JOB#x',
    '%22%5C',
    '日本 😀',
    '\u2028\u2029\u00a0',
    'x'.repeat(256),
  ])('of job, tenant and actor are in the event as they are: %s', async (name) => {
    // The import refuses a job that no path can contain.
    const job = name.replaceAll('/', '');
    const line = JSON.stringify({ type: 'job', tenant: name, id: job, status: 'draft' });
    expect((await load(tenants.table, streamOf(line))).refused).toEqual([]);
    const token = await tenants.issuer.mint({ org_id: name, sub: name });
    const answer = await tenants.updateJobStatus({ token, pathParameters: { id: job } });
    expect(answer.status).toBe(200);
    const [event] = await eventsOf(tenants, job, name);
    expect(event).toMatchObject({ job_id: job, tenant_id: name, actor: name, sequence: '2' });
  });
});
