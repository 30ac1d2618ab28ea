import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { type Datum, dataOf } from '../../support/metrics.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';

describe('the metrics of the line of a request', () => {
  const service = useProxiedService();
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

  it('count nothing of a request that succeeds and changes nothing', async () => {
    await service.getApplication();
    expect(data()).toEqual([]);
  });

  it.each(jobStatuses)('count a change of status to %s', async (status) => {
    await service.table.put(jobItem({}, { status: status === 'draft' ? 'closed' : 'draft' }));
    await service.updateJobStatus({ body: { status } });
    expect(data()).toEqual([
      {
        metric: 'status_changes',
        unit: 'Count',
        value: 1,
        dimensions: { operation: 'updateJobStatus' },
      },
    ]);
  });

  it('count no change if a job has the status already', async () => {
    await service.table.put(jobItem({}, { status: 'paused' }));
    await service.updateJobStatus({ body: { status: 'paused' } });
    expect(service.log.lines).toMatchObject([{ outcome: 'ok' }]);
    expect(data()).toEqual([]);
    expect(service.log.lines[0]).not.toHaveProperty('status_changed_to');
  });

  it('count a change once that is retried because its answer was lost', async () => {
    service.proxy.expect('answer lost', 'none');
    await service.updateJobStatus({ body: { status: 'archived' } });
    expect(named('status_changes')).toMatchObject([{ value: 1 }]);
  });

  it('count a failure by its problem', async () => {
    service.proxy.expect('reset', 'reset', 'reset');
    await service.getApplication();
    expect(data()).toMatchObject([
      {
        metric: 'failures',
        value: 1,
        dimensions: { operation: 'getApplication', outcome: 'unavailable' },
      },
    ]);
  });

  it('count a failure for each code of a 5xx, and for no other outcome', () => {
    const line = { operation: 'updateJobStatus', request_id: 'request-1' };
    for (const [outcome, { status }] of Object.entries(problemTypes)) {
      const counted = dataOf({ ...line, outcome }).map(({ metric }) => metric);
      expect(counted, outcome).toEqual(status >= 500 ? ['failures'] : []);
    }
    expect(dataOf({ ...line, outcome: 'priming_failed' })).toEqual([]);
  });

  it('count the cold start of a function once', async () => {
    const functions = await loadFunctions(service);
    service.log.take();
    await functions.getApplication();
    await functions.getApplication();
    expect(named('cold_starts')).toMatchObject([{ value: 1, unit: 'Count' }]);
  });

  it('are told apart by nothing that says who asked for what', async () => {
    const token = await service.issuer.mint({ sub: 'recruiter-9', client_id: 'partner' });
    await service.getApplication({ token, pathParameters: { id: 'j-77', candidate_id: 'c-77' } });
    await service.updateJobStatus({ token, body: { status: 'archived' } });
    service.proxy.expect('reset', 'reset', 'reset');
    await service.getApplication({ token, pathParameters: { id: 'j-77', candidate_id: 'c-77' } });
    const dimensions = data().flatMap((datum) => Object.keys(datum.dimensions));
    expect(new Set(dimensions)).toEqual(new Set(['operation', 'outcome']));
    expect(JSON.stringify(data())).not.toMatch(/recruiter-9|partner|default|-77|j-1/);
  });
});
