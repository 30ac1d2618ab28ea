import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoError } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem, fullApplication, jobItem } from '../../support/items.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Texts of a full application that are nobody's business. */
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
        level: 'INFO',
        timestamp: expect.stringMatching(ISO),
        request_id: 'gateway-1',
        invocation_id: 'lambda-1',
        operation: 'getApplication',
        route: 'GET /v1/jobs/{id}/applications/{candidate_id}',
        job_id: 'j-1',
        candidate_id: 'c-1',
        tenant: 'default',
        subject: 'recruiter-9',
        client: 'partner',
        outcome: 'ok',
        status: 200,
        duration_ms: expect.any(Number),
        cold_start: true,
        function_name: 'function',
        requests: 1,
        cold_starts: 1,
        _aws: expect.any(Object),
      },
    ]);
    expect(service.log.text).toMatch(/^\{.*\}\n$/);
  });

  it('is one line that says who set the status of which job', async () => {
    await service.updateJobStatus({ invocationId: 'lambda-2', body: { status: 'published' } });
    expect(service.log.lines).toEqual([
      {
        level: 'INFO',
        timestamp: expect.stringMatching(ISO),
        request_id: 'request-1',
        invocation_id: 'lambda-2',
        operation: 'updateJobStatus',
        route: 'PATCH /v1/jobs/{id}/status',
        job_id: 'j-1',
        tenant: 'default',
        subject: 'user-1',
        client: 'client-1',
        outcome: 'ok',
        status: 200,
        duration_ms: expect.any(Number),
        cold_start: true,
        function_name: 'function',
        requests: 1,
        cold_starts: 1,
        status_changed_to: 'published',
        status_changes: 1,
        _aws: expect.any(Object),
      },
    ]);
  });

  it.each<[string, number, TestRequest]>([
    ['unauthenticated', 401, { token: undefined }],
    ['invalid_token', 401, { token: 'a.b.c' }],
    ['invalid_path', 400, { pathParameters: { id: '' } }],
    ['unsupported_media_type', 415, { headers: { 'content-type': 'text/plain' } }],
    ['body_too_large', 413, { body: ' '.repeat(1025) }],
    ['malformed_json', 400, { body: '{' }],
    ['invalid_body', 400, { body: {} }],
    ['job_not_found', 404, { pathParameters: { id: 'nobody' } }],
    ['version_mismatch', 412, { headers: { 'if-match': '"9"' } }],
    ['transition_refused', 409, { body: { status: 'closed' } }],
  ])('is one line for %s too, without a stack', async (outcome, status, request) => {
    await service.updateJobStatus(request);
    expect(service.log.lines).toMatchObject([{ level: 'INFO', outcome, status }]);
    expect(service.log.lines[0]).not.toHaveProperty('failure');
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
    await service.getApplication({ remainingMs: 800 });
    const duration = Number(service.log.lines[0]?.duration_ms);
    expect(duration).toBeGreaterThan(90);
    expect(duration).toBeLessThan(900);
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
