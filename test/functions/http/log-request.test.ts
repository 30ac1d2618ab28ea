import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoError } from '../../support/faults.ts';
import { applicationItem, fullApplication, jobItem } from '../../support/items.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** The members of the line of a first request that succeeds, whatever the operation. */
const ofAnyRequest = {
  level: 'INFO',
  timestamp: expect.stringMatching(ISO),
  job_id: 'j-1',
  tenant: 'default',
  outcome: 'ok',
  status: 200,
  duration_ms: expect.any(Number),
  cold_start: true,
};
/** The personal data of a full application. */
const personal = JSON.stringify(fullApplication)
  .split('"')
  .filter((text) => /[A-Z@+/]/.test(text));

describe('the log of a request', () => {
  const service = useProxiedService({ TRANSITION_POLICY: 'lifecycle' });
  beforeAll(() => service.table.put(applicationItem({})));
  beforeEach(async () => {
    service.proxy.expect('none');
    await service.table.put(jobItem({}));
  });

  it('is one line that says who read which application', async () => {
    const token = await service.issuer.mint({ sub: 'recruiter-9', client_id: 'partner' });
    await service.getApplication({ token, requestId: 'gateway-1', invocationId: 'lambda-1' });
    expect(service.log.lines).toEqual([
      {
        ...ofAnyRequest,
        request_id: 'gateway-1',
        invocation_id: 'lambda-1',
        operation: 'getApplication',
        route: 'GET /v1/jobs/{id}/applications/{candidate_id}',
        candidate_id: 'c-1',
        subject: 'recruiter-9',
        client: 'partner',
      },
    ]);
    expect(service.log.text).toMatch(/^\{.*\}\n$/);
  });

  it('is one line that says who set the status of which job', async () => {
    await service.updateJobStatus({ invocationId: 'lambda-2', body: { status: 'published' } });
    expect(service.log.lines).toEqual([
      {
        ...ofAnyRequest,
        request_id: 'request-1',
        invocation_id: 'lambda-2',
        operation: 'updateJobStatus',
        route: 'PATCH /v1/jobs/{id}/status',
        subject: 'user-1',
        client: 'client-1',
        status_changed_to: 'published',
      },
    ]);
  });

  it('says that a status was set if only the second attempt got a response', async () => {
    service.proxy.expect('answer lost', 'none');
    await service.updateJobStatus({ body: { status: 'published' } });
    expect(service.log.lines).toMatchObject([{ status: 200, status_changed_to: 'published' }]);
  });

  it('does not say that a status was set which the job had', async () => {
    await service.updateJobStatus({ body: { status: 'draft' } });
    expect(service.log.lines).toMatchObject([{ status: 200 }]);
    expect(service.log.lines[0]).not.toHaveProperty('status_changed_to');
  });

  it.each([
    ['internal', 500, 'ERROR', dynamoError(400, 'AccessDeniedException')],
    ['unavailable', 503, 'WARN', dynamoError(500, 'InternalServerError')],
  ])(
    'is one line for %s, which says what failed and where',
    async (outcome, status, level, fault) => {
      service.proxy.expect(fault);
      await service.getApplication();
      service.proxy.expect('none');
      expect(service.log.lines).toMatchObject([
        {
          level,
          outcome,
          status,
          failure: {
            name: 'Problem',
            code: outcome,
            stack: expect.arrayContaining([expect.stringContaining('at ')]),
            cause: { name: expect.stringMatching(/AccessDenied|InternalServer/) },
          },
        },
      ]);
    },
  );

  it('says of the first request of an environment, and of no other, that it was cold', async () => {
    const fresh = await loadFunctions(service);
    await fresh.getApplication({ token: undefined });
    await fresh.getApplication();
    await fresh.updateJobStatus();
    await fresh.getApplication();
    expect(service.log.lines.map(({ cold_start: coldStart }) => coldStart)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('measures the duration in milliseconds', async () => {
    service.proxy.expect('hang');
    const start = performance.now();
    await service.getApplication({ remainingMs: 800 });
    const elapsed = performance.now() - start;
    const duration = Number(service.log.lines[0]?.duration_ms);
    expect(duration).toBeGreaterThan(90);
    expect(duration).toBeLessThanOrEqual(elapsed);
  });

  it('does without path parameters', async () => {
    await service.updateJobStatus({ token: undefined, pathParameters: undefined });
    expect(service.log.lines).toMatchObject([{ outcome: 'unauthenticated' }]);
  });

  it('never holds personal data, bodies or tokens', async () => {
    const token = await service.issuer.mint({ name: 'Ana Example', email: 'ana@example.com' });
    const [, claims = ''] = token.split('.');
    expect((await service.getApplication({ token })).status).toBe(200);
    await service.updateJobStatus({ token, body: { status: 'closed' } });
    await service.updateJobStatus({ token, body: { status: 'ana@example.com' } });
    await service.updateJobStatus({ token, body: '{"email":"ana@example.com"' });
    await service.getApplication({ token: `${token}x` });
    expect(service.log.lines).toHaveLength(5);
    expect(personal.length).toBeGreaterThan(15);
    for (const text of [...personal, claims, 'ana@example', 'closed', 'Bearer']) {
      expect(service.log.text).not.toContain(text);
    }
  });
});
