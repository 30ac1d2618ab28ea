import { describe, expect, it } from 'vitest';
import type { Result, TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { startService } from '../../support/service.ts';

/** `correction` fixes, in the next request, what led to `outcome`. */
type Step = [outcome: string, correction?: TestRequest];

describe('a request that is invalid in several ways', async () => {
  const service = await startService({ TENANT_CLAIM: 'tenant', TRANSITION_POLICY: 'lifecycle' });
  await service.table.put(applicationItem({ tenant: 'acme' }));
  await service.table.put(jobItem({ tenant: 'acme' }));
  const ofToken: Step[] = [
    ['401 unauthenticated', { token: 'a.b.c' }],
    ['401 invalid_token', { token: await service.issuer.mint({ scope: '' }) }],
    ['403 insufficient_scope', { token: await service.issuer.mint() }],
    ['403 no_tenant', { token: await service.issuer.mint({ tenant: 'acme' }) }],
  ];

  async function check(
    call: (request: TestRequest) => Promise<Result>,
    worst: TestRequest,
    steps: readonly Step[],
  ): Promise<void> {
    let request: TestRequest = { ...worst, token: undefined };
    for (const [outcome, correction] of [...ofToken, ...steps]) {
      const { status, body } = await call(request);
      expect(`${status} ${body.code ?? 'ok'}`).toBe(outcome);
      request = { ...request, ...correction };
    }
  }

  it('is checked for credentials, permission, path, type, coding, size, body, job, version and move, in this order', () => {
    const stale = { 'content-type': 'application/json', 'if-match': '"9"' };
    const coded = { ...stale, 'content-encoding': 'gzip' };
    const worst = {
      pathParameters: { id: '' },
      headers: { ...coded, 'content-type': 'text/plain' },
      body: `{"status":${' '.repeat(1024)}`,
    };
    return check(service.updateJobStatus, worst, [
      ['400 invalid_path', { pathParameters: { id: 'nobody' } }],
      ['415 unsupported_media_type', { headers: coded }],
      ['415 unsupported_media_type', { headers: stale }],
      ['413 body_too_large', { body: '{"status":' }],
      ['400 malformed_json', { body: '{"status":"open"}' }],
      ['400 invalid_body', { body: '{"status":"paused"}' }],
      ['404 job_not_found', { pathParameters: { id: 'j-1' } }],
      ['412 version_mismatch', { headers: { ...stale, 'if-match': '"1"' } }],
      ['409 transition_refused', { body: '{"status":"published"}' }],
      ['200 ok'],
    ]);
  });

  it('is checked for credentials, permission, path and application, in this order', () =>
    check(service.getApplication, { pathParameters: { id: '', candidate_id: '' } }, [
      ['400 invalid_path', { pathParameters: { id: 'j-1', candidate_id: '' } }],
      ['400 invalid_path', { pathParameters: { id: 'j-1', candidate_id: 'nobody' } }],
      ['404 application_not_found', { pathParameters: { id: 'j-1', candidate_id: 'c-1' } }],
      ['200 ok'],
    ]));
});
