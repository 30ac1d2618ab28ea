import { beforeEach, describe, expect, it, vi } from 'vitest';
import { timeIsUp } from '../../../functions/contract/problem.ts';
import { limitTime } from '../../../functions/http/time-limit.ts';
import { problemBody } from '../../support/contract.ts';
import { functionNames, loadFunctions, useProxiedService } from '../../support/service.ts';

const outOfTime = problemBody('unavailable');

describe('if the time runs out', () => {
  const service = useProxiedService();
  beforeEach(() => service.proxy.expect('hang'));

  const hurried = (seconds: number) => loadFunctions(service, { TIMEOUT_S: String(seconds) });

  it.each(functionNames)('%s answers, and what it waits for is aborted', async (call) => {
    const pathParameters = { id: `aborted-by-${call}`, candidate_id: 'c-1' };
    const functions = await hurried(0.8);
    const { status, headers, body } = await functions[call]({ pathParameters });
    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('1');
    const isUnknown = call === 'updateJobStatus';
    expect(body).toEqual({ ...outOfTime, ...(isUnknown && { outcome_unknown: true }) });
    expect(service.log.lines).toMatchObject([
      { level: 'WARN', outcome: 'unavailable', failure: { code: 'unavailable' } },
    ]);
    const requests = () => service.proxy.requestsFor(pathParameters.id);
    // It is the only request: after the client's own time-out there would be others.
    await expect.poll(() => requests().map(({ abandoned }) => abandoned)).toEqual([true]);
  });

  it('a function that waits for the keys of the issuer answers in time too', async () => {
    service.issuer.behaviour = 'down';
    const cold = await hurried(0.8);
    service.issuer.behaviour = 'slow';
    const { status, body } = await cold.getApplication();
    service.issuer.behaviour = 'up';
    expect(status).toBe(503);
    expect(body.detail).toBe(timeIsUp().detail);
  });

  it.each([
    ['what is told is between a half and all of it', 4000, 3300],
    ['less is told', 2999, 5300],
    ['more is told', 6001, 5300],
  ])('a function has its time-out, less a reserve, or what is told: %s', (_, told, expected) => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const context = { getRemainingTimeInMillis: () => told };
    limitTime(6000).before?.({ event: {}, context } as never);
    expect(timeout).toHaveBeenCalledExactlyOnceWith(expected);
    timeout.mockRestore();
  });
});
