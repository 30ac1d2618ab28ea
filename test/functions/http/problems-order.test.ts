import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';

const TOO_LARGE = `{"status":${' '.repeat(1024)}`;

describe('a request that is wrong in several ways', () => {
  const service = useService({ TENANT_CLAIM: 'tenant', TRANSITION_POLICY: 'lifecycle' });
  const tokens = { powerless: '', tenantless: '', good: '' };
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'acme' }));
    tokens.powerless = await service.issuer.mint({ scope: '' });
    tokens.tenantless = await service.issuer.mint();
    tokens.good = await service.issuer.mint({ tenant: 'acme' });
  });
  beforeEach(() => service.table.put(jobItem({ tenant: 'acme' })));

  /** Sends a request, fixes one fault after the other, and gives the outcome of each attempt. */
  async function outcomesOf(
    call: (request: TestRequest) => Promise<Answer>,
    worst: TestRequest,
    fixes: readonly TestRequest[],
  ): Promise<string[]> {
    let request = worst;
    const outcomes: string[] = [];
    for (const fix of [{}, ...fixes]) {
      request = { ...request, ...fix };
      const { status, body } = await call(request);
      outcomes.push(`${status} ${body.code ?? 'ok'}`);
    }
    return outcomes;
  }

  const fixesOfToken = () => [
    { token: 'a.b.c' },
    { token: tokens.powerless },
    { token: tokens.tenantless },
    { token: tokens.good },
  ];
  const untilTokenIsGood = [
    '401 unauthenticated',
    '401 invalid_token',
    '403 insufficient_scope',
    '403 no_tenant',
  ];

  it('is answered by credentials, permission, path, type, size, body, job, version, move, in turn', async () => {
    const stale = { 'content-type': 'application/json', 'if-match': '"9"' };
    const worst = {
      token: undefined,
      pathParameters: { id: '' },
      headers: { ...stale, 'content-type': 'text/plain' },
      body: TOO_LARGE,
    };
    const outcomes = await outcomesOf(service.updateJobStatus, worst, [
      ...fixesOfToken(),
      { pathParameters: { id: 'nobody' } },
      { headers: stale },
      { body: '{"status":' },
      { body: '{"status":"open"}' },
      { body: '{"status":"paused"}' },
      { pathParameters: { id: 'j-1' } },
      { headers: { ...stale, 'if-match': '"1"' } },
      { body: '{"status":"published"}' },
    ]);
    expect(outcomes).toEqual([
      ...untilTokenIsGood,
      '400 invalid_path',
      '415 unsupported_media_type',
      '413 body_too_large',
      '400 malformed_json',
      '400 invalid_body',
      '404 job_not_found',
      '412 version_mismatch',
      '409 transition_refused',
      '200 ok',
    ]);
  });

  it('is answered by credentials, permission, path and application, in turn', async () => {
    const worst = { token: undefined, pathParameters: { id: '', candidate_id: '' } };
    const outcomes = await outcomesOf(service.getApplication, worst, [
      ...fixesOfToken(),
      { pathParameters: { id: 'j-1', candidate_id: '' } },
      { pathParameters: { id: 'j-1', candidate_id: 'nobody' } },
      { pathParameters: { id: 'j-1', candidate_id: 'c-1' } },
    ]);
    expect(outcomes).toEqual([
      ...untilTokenIsGood,
      '400 invalid_path',
      '400 invalid_path',
      '404 application_not_found',
      '200 ok',
    ]);
  });
});
