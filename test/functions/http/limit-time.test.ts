import { describe, expect, it, vi } from 'vitest';
import { unavailable } from '../../../functions/contract/problem.ts';
import { limitTime } from '../../../functions/http/limit-time.ts';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { systemTimer, type Timer } from '../../../functions/platform/clock.ts';
import type { Environment } from '../../../functions/platform/environment.ts';
import { problemBody, requestAbout } from '../../support/contract.ts';
import { loadFunctions, startProxiedService } from '../../support/service.ts';
import { controlledTimes, LAMBDA_MS } from '../../support/time.ts';

/** Part of Lambda's timeout that is kept for the response and its log line. */
const RESERVE_MS = 700;

const outOfTime = problemBody('unavailable');

describe('when the time runs out', async () => {
  const times = controlledTimes();
  // Minus the reserve, this timeout is shorter than the limit for a DynamoDB request.
  const service = await startProxiedService({ TIMEOUT_S: '1' }, times.options);
  service.proxy.onEndless = times.onEndless;

  it.each(operationNames)('%s responds and aborts its pending request', async (name) => {
    const { operationId, method } = operations[name];
    const job = `aborted-by-${name}`;
    service.proxy.expect('hang');
    const request = requestAbout(job, operations[name]);
    const [response] = await times.run(job, () => service[operationId](request));
    const { status, headers, body } = response;
    expect(status).toBe(503);
    expect(headers['Retry-After']).toBe('1');
    const isUnknown = method !== 'GET';
    expect(body).toEqual({ ...outOfTime, ...(isUnknown && { outcome_unknown: true }) });
    expect(service.log.lines).toMatchObject([
      { level: 'WARN', outcome: 'unavailable', failure: { code: 'unavailable' } },
    ]);
    const requests = () => service.proxy.requestsFor(job);
    // One attempt only, so the function's time limit ended it. If the limit for a DynamoDB request had ended it, a
    // second attempt would have followed.
    await expect.poll(() => requests().map(({ abandoned }) => abandoned)).toEqual([true]);
  });

  it('a function that waits for the keys of the issuer also responds in time', async () => {
    service.issuer.behaviour = 'down';
    const cold = await loadFunctions(service);
    service.issuer.behaviour = () => times.onEndless('keys');
    const [{ status, body }] = await times.run('keys', () => cold.getApplication());
    service.issuer.behaviour = 'up';
    expect(status).toBe(503);
    expect(body.detail).toBe(unavailable('timeLimit').detail);
  });

  it.each([
    ['half of the timeout remains', LAMBDA_MS / 2, LAMBDA_MS / 2 - RESERVE_MS],
    ['less than half remains', LAMBDA_MS / 2 - 1, LAMBDA_MS - RESERVE_MS],
    ['more than the timeout remains', LAMBDA_MS + 1, LAMBDA_MS - RESERVE_MS],
  ])(
    'the limit is the credible remaining time, or else the timeout, less a reserve: %s',
    (_, remainingMs, ms) => {
      const timer = vi.fn<Timer>();
      const context = { getRemainingTimeInMillis: () => remainingMs };
      const { before } = limitTime({ environment: { timeoutMs: LAMBDA_MS } as Environment, timer });
      before?.({ event: {}, context } as never);
      expect(timer).toHaveBeenCalledExactlyOnceWith('invocation', ms, expect.any(Function));
    },
  );

  it.each([{}, { token: undefined }])('no timer is left after the request %j', async (request) => {
    const running = new Set<object>();
    const timer: Timer = (name, ms, end) => {
      const stop = systemTimer(name, ms, end);
      running.add(stop);
      return () => {
        running.delete(stop);
        stop();
      };
    };
    service.proxy.expect('none');
    const options = { ...service.options, timer };
    const { getApplication } = await loadFunctions({ ...service, options });
    await getApplication(request);
    expect(running.size).toBe(0);
  });
});
