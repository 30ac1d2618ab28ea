import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { inTime } from '../../support/in-time.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { functionNames, loadFunctions, useProxiedService } from '../../support/service.ts';

const outOfTime = problemBody('unavailable');

describe('if the time runs out', () => {
  const service = useProxiedService();
  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
  });
  beforeEach(() => service.proxy.expect('hang'));

  // The first, because it has the functions fetch the keys of the issuer before time counts.
  it('a function that is in time answers as usual', async () => {
    service.proxy.expect('none');
    expect((await service.getApplication({ remainingMs: 2000 })).status).toBe(200);
  });

  it.each(functionNames)('%s answers at least 500 ms before Lambda ends it', async (call) => {
    const { status, headers, body } = await inTime(
      () => service[call]({ remainingMs: 1000 }),
      call,
      1000,
    );
    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('1');
    const isUnknown = call === 'updateJobStatus';
    expect(body).toEqual({ ...outOfTime, ...(isUnknown && { outcome_unknown: true }) });
    expect(service.log.lines).toMatchObject([
      { level: 'WARN', outcome: 'unavailable', failure: { code: 'unavailable' } },
    ]);
  });

  it.each(functionNames)('what %s waits for is aborted', async (call) => {
    const pathParameters = { id: `aborted-by-${call}`, candidate_id: 'c-1' };
    await service[call]({ pathParameters, remainingMs: 800 });
    const requests = () => service.proxy.requestsFor(pathParameters.id);
    // It is the only request: after the client's own time-out there would be others.
    await vi.waitFor(() => expect(requests().map(({ abandoned }) => abandoned)).toEqual([true]), {
      timeout: 600_000,
    });
  });

  it('a function that has no time at all says so at once, and begins nothing', async () => {
    service.issuer.behaviour = 'down';
    const cold = await loadFunctions(service);
    service.issuer.behaviour = 'up';
    service.issuer.requests = [];
    const { body } = await cold.getApplication({ remainingMs: 100 });
    expect(body).toEqual(outOfTime);
    await service.issuer.idle();
    expect(service.issuer.requests).toEqual([]);
    expect(service.proxy.requests).toEqual([]);
  });

  it('a function that waits for the keys of the issuer answers in time too', async () => {
    service.issuer.behaviour = 'down';
    const cold = await loadFunctions(service);
    service.issuer.behaviour = 'slow';
    const { status, body } = await cold.getApplication({ remainingMs: 1000 });
    service.issuer.behaviour = 'up';
    expect(status).toBe(503);
    expect(body.detail).toBe(problemTypes.unavailable.detail.timeLimit);
  });
});
