import { beforeEach, describe, expect, it } from 'vitest';
import { byClock, useDifferentClocks } from '../../support/clocks.ts';
import { dynamoError } from '../../support/faults.ts';
import { nowInSeconds } from '../../support/issuer.ts';
import { jobItem } from '../../support/items.ts';
import { type Functions, loadFunctions, useProxiedService } from '../../support/service.ts';

const MINUTE_MS = 60_000;
const DAY_S = 86_400;
const variables = { TRANSITION_POLICY: 'lifecycle' };

interface Wanted {
  job?: string;
  status?: string;
  ifMatch?: string;
}

/** What a request asks for, and the answer, by the clock of a function that is right. */
const outcomes: [string, Wanted, number][] = [
  ['a change', {}, 200],
  ['the status that the job has', { status: 'draft' }, 200],
  ['an unknown job', { job: 'unknown' }, 404],
  ['a stale If-Match', { ifMatch: '"9"' }, 412],
  ['a move that is refused', { status: 'closed' }, 409],
];

const requestOf = ({ job = 'j-1', status = 'published', ifMatch }: Wanted) => ({
  pathParameters: { id: job },
  body: { status },
  headers: { 'if-match': ifMatch },
});

describe.each([-180, -10, -5, -3, 3, 5, 10, 180])(
  'by a clock that is %i minutes ahead',
  (ahead) => {
    useDifferentClocks();
    const service = useProxiedService(variables);
    beforeEach(async () => {
      service.proxy.checksClock = true;
      service.proxy.expect('none');
      await service.table.put(jobItem({}));
    });

    /** The answer to a request, by a token that is valid whatever the clock. */
    const update = async (
      request: ReturnType<typeof requestOf>,
      { updateJobStatus }: Functions = service,
    ) => {
      const token = await service.issuer.mint({ iat: 0, exp: nowInSeconds() + DAY_S });
      return byClock(ahead * MINUTE_MS, () => updateJobStatus({ ...request, token }));
    };

    it.each(outcomes)('%s is answered as it is by a right clock', async (_, request, expected) => {
      // Corrects the clock of the client.
      await update(requestOf({ job: 'unknown' }));
      service.proxy.expect('none');
      const { status } = await update(requestOf(request));
      expect(status).toBe(expected);
      expect(service.proxy.requests).toHaveLength(1);
    });

    it.each(outcomes)(
      '%s is answered so by the first request too',
      async (_, request, expected) => {
        const cold = await loadFunctions(service, variables);
        service.proxy.expect('none');
        const { status } = await update(requestOf(request), cold);
        expect(status).toBe(expected);
        const isRejected = Math.abs(ahead) > 5;
        // At the limit of five minutes the time that the request takes decides.
        if (Math.abs(ahead) !== 5) expect(service.proxy.requests).toHaveLength(isRejected ? 2 : 1);
      },
    );

    it.each(['AccessDeniedException', 'ValidationException', 'ResourceNotFoundException'])(
      'an error of the deployment, %s, is 500 without a retry',
      async (name) => {
        service.proxy.expect(dynamoError(400, name));
        service.proxy.checksClock = false;
        expect((await update(requestOf({}))).status).toBe(500);
        expect(service.proxy.requests).toHaveLength(1);
      },
    );

    it.each(['InvalidSignatureException', 'SignatureDoesNotMatch'])(
      'the signature of a wrong key, %s, is 500 without a retry',
      async (name) => {
        const message = 'The request signature we calculated does not match the signature.';
        service.proxy.expect(dynamoError(400, name, message));
        service.proxy.checksClock = false;
        expect((await update(requestOf({}))).status).toBe(500);
        expect(service.proxy.requests).toHaveLength(1);
      },
    );

    it.each(['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'])(
      '%s is retried if the clock is corrected',
      async (name) => {
        // Its client has not corrected its clock yet, which the SDK does from 4 minutes on.
        const cold = await loadFunctions(service, variables);
        service.proxy.expect(dynamoError(400, name), 'none');
        service.proxy.checksClock = false;
        const isCorrected = Math.abs(ahead) > 4;
        expect((await update(requestOf({}), cold)).status).toBe(isCorrected ? 200 : 500);
        expect(service.proxy.requests).toHaveLength(isCorrected ? 2 : 1);
      },
    );

    it('a job that was changed by a right clock just now is changed', async () => {
      await update(requestOf({ job: 'unknown' }));
      const right = await loadFunctions(service, variables);
      expect((await right.updateJobStatus(requestOf({}))).status).toBe(200);
      service.proxy.expect('none');
      const { status, headers } = await update(requestOf({ status: 'paused' }));
      expect(status).toBe(200);
      expect(headers.ETag).toBe('"3"');
      expect(service.proxy.requests).toHaveLength(ahead < 0 ? 2 : 1);
    });
  },
);
