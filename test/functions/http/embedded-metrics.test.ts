import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { METRICS_NAMESPACE, requestMetrics } from '../../../functions/contract/metrics.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { type JobStatus, jobStatuses } from '../../../functions/domain/job.ts';
import { type Datum, dataOf } from '../../support/embedded-metrics.ts';
import { dynamoError } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';

type Operation = 'getApplication' | 'updateJobStatus';

describe('the metrics in the line of a request', () => {
  const service = useProxiedService({ TRANSITION_POLICY: 'lifecycle' });
  const data = (): Datum[] => service.log.lines.flatMap(dataOf);
  const named = (metric: string) => data().filter((datum) => datum.metric === metric);
  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    // The first requests, which are cold, come before the tests.
    await service.getApplication();
    await service.updateJobStatus();
  });
  beforeEach(async () => {
    service.proxy.expect('none');
    await service.table.put(jobItem({}));
  });

  it('count a read and nothing else', async () => {
    await service.getApplication();
    expect(data()).toEqual([
      {
        namespace: 'recruitment',
        metric: 'requests',
        unit: 'Count',
        value: 1,
        dimensions: { function_name: 'function', outcome: 'ok' },
      },
    ]);
  });

  it('are of the time of the line', async () => {
    await service.getApplication();
    const [{ timestamp, _aws: aws } = {}] = service.log.lines;
    expect(aws).toMatchObject({ Timestamp: Date.parse(String(timestamp)) });
  });

  const origins: Record<JobStatus, JobStatus> = {
    published: 'draft',
    closed: 'published',
    archived: 'published',
    draft: 'closed',
    paused: 'published',
  };
  it.each(jobStatuses)('count a change of status to %s', async (status) => {
    await service.table.put(jobItem({}, { status: origins[status] }));
    await service.updateJobStatus({ body: { status } });
    expect(named('status_changes')).toMatchObject([
      { value: 1, dimensions: { function_name: 'function', status_changed_to: status } },
    ]);
  });

  it('count no change where a job has the status already', async () => {
    await service.table.put(jobItem({}, { status: 'paused' }));
    await service.updateJobStatus({ body: { status: 'paused' } });
    expect(named('requests')).toMatchObject([{ dimensions: { outcome: 'ok' } }]);
    expect(named('status_changes')).toEqual([]);
    expect(service.log.lines[0]).not.toHaveProperty('status_changed_to');
  });

  it('count a change once whose answer was lost and that was sent again', async () => {
    service.proxy.expect('answer lost', 'none');
    await service.updateJobStatus({ body: { status: 'archived' } });
    expect(named('status_changes')).toMatchObject([{ value: 1 }]);
  });

  const refusals: [ProblemCode, Operation, TestRequest][] = [
    ['unauthenticated', 'getApplication', { token: undefined }],
    ['invalid_token', 'getApplication', { token: 'a.b.c' }],
    ['invalid_path', 'getApplication', { pathParameters: { id: '', candidate_id: 'c-1' } }],
    ['application_not_found', 'getApplication', { pathParameters: { id: 'x', candidate_id: 'y' } }],
    ['unsupported_media_type', 'updateJobStatus', { headers: { 'content-type': 'text/plain' } }],
    ['body_too_large', 'updateJobStatus', { body: ' '.repeat(1025) }],
    ['malformed_json', 'updateJobStatus', { body: '{' }],
    ['invalid_body', 'updateJobStatus', { body: {} }],
    ['job_not_found', 'updateJobStatus', { pathParameters: { id: 'nobody' } }],
    ['version_mismatch', 'updateJobStatus', { headers: { 'if-match': '"9"' } }],
    ['transition_refused', 'updateJobStatus', { body: { status: 'closed' } }],
  ];
  const counted = (code: ProblemCode) => {
    expect(named('requests')).toMatchObject([{ value: 1, dimensions: { outcome: code } }]);
    expect(data().map(({ metric }) => metric)).toEqual(['requests']);
  };

  it.each(refusals)('count the refusal %s', async (code, operation, request) => {
    await service[operation](request);
    counted(code);
  });

  it.each<[ProblemCode, number, string]>([
    ['internal', 400, 'AccessDeniedException'],
    ['unavailable', 500, 'InternalServerError'],
  ])('count the failure %s', async (code, status, fault) => {
    service.proxy.expect(dynamoError(status, fault));
    await service.getApplication();
    counted(code);
  });

  it.each<[ProblemCode, Record<string, unknown>]>([
    ['insufficient_scope', { scope: 'other' }],
    ['no_tenant', {}],
  ])('count the refusal %s', async (code, claims) => {
    const functions = await loadFunctions(service, { TENANT_CLAIM: 'tenant' });
    service.log.take();
    await functions.getApplication({ token: await service.issuer.mint(claims) });
    expect(named('requests')).toMatchObject([{ dimensions: { outcome: code } }]);
  });

  it('have been seen here of every code', () => {
    const codes = refusals.map(([code]) => code);
    const others = ['internal', 'unavailable', 'insufficient_scope', 'no_tenant'];
    expect([...codes, ...others].toSorted()).toEqual(Object.keys(problemTypes).toSorted());
  });

  it('count the cold start of a function once', async () => {
    const functions = await loadFunctions(service);
    service.log.take();
    await functions.getApplication();
    await functions.getApplication();
    expect(named('cold_starts')).toMatchObject([{ value: 1, unit: 'Count' }]);
    expect(named('requests')).toHaveLength(2);
  });

  it('are told apart by nothing that says who asked for what', async () => {
    const token = await service.issuer.mint({ sub: 'recruiter-9', client_id: 'partner' });
    await service.getApplication({ token, pathParameters: { id: 'j-77', candidate_id: 'c-77' } });
    await service.updateJobStatus({ token, body: { status: 'archived' } });
    const dimensions = data().flatMap((datum) => Object.keys(datum.dimensions));
    expect(new Set(dimensions)).toEqual(new Set(['function_name', 'outcome', 'status_changed_to']));
    expect(JSON.stringify(data())).not.toMatch(/recruiter-9|partner|default|-77|j-1/);
  });

  it('are those of the domain, in its namespace', async () => {
    const functions = await loadFunctions(service);
    service.log.take();
    await functions.updateJobStatus({ body: { status: 'published' } });
    expect(data().map(({ metric }) => metric)).toEqual(Object.keys(requestMetrics));
    expect(new Set(data().map(({ namespace }) => namespace))).toEqual(new Set([METRICS_NAMESPACE]));
  });
});
