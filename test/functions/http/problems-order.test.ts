import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';

const TOO_LARGE = `{"status":${' '.repeat(1024)}`;

describe('a request that is wrong in several ways', () => {
  const service = useService({ TENANT_CLAIM: 'tenant', TRANSITION_POLICY: 'lifecycle' });
  const tokens: Record<'powerless' | 'tenantless' | 'good', string> = {
    powerless: '',
    tenantless: '',
    good: '',
  };
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'acme' }));
    tokens.powerless = await service.issuer.mint({ scope: '' });
    tokens.tenantless = await service.issuer.mint();
    tokens.good = await service.issuer.mint({ tenant: 'acme' });
  });
  beforeEach(() => service.table.put(jobItem({ tenant: 'acme' })));

  /** Fixes one fault after the other, and collects the answers before, between and after. */
  async function answersDuring(
    call: (request: TestRequest) => Promise<Answer>,
    worst: TestRequest,
    repairs: (() => TestRequest)[],
  ): Promise<string[]> {
    let request = worst;
    const codes: string[] = [];
    for (const repair of [() => ({}), ...repairs]) {
      request = { ...request, ...repair() };
      const { status, body } = await call(request);
      codes.push(`${status} ${body.code ?? 'ok'}`);
    }
    return codes;
  }

  it('is answered by credentials, permission, path, type, size, body, job, version, move, in turn', async () => {
    const stale = { 'content-type': 'application/json', 'if-match': '"9"' };
    const worst = {
      token: undefined,
      pathParameters: { id: '' },
      headers: { ...stale, 'content-type': 'text/plain' },
      body: TOO_LARGE,
    };
    const codes = await answersDuring(service.updateJobStatus, worst, [
      () => ({ token: 'a.b.c' }),
      () => ({ token: tokens.powerless }),
      () => ({ token: tokens.tenantless }),
      () => ({ token: tokens.good }),
      () => ({ pathParameters: { id: 'nobody' } }),
      () => ({ headers: stale }),
      () => ({ body: '{"status":' }),
      () => ({ body: '{"status":"open"}' }),
      () => ({ body: '{"status":"paused"}' }),
      () => ({ pathParameters: { id: 'j-1' } }),
      () => ({ headers: { ...stale, 'if-match': '"1"' } }),
      () => ({ body: '{"status":"published"}' }),
    ]);
    expect(codes).toEqual([
      '401 unauthenticated',
      '401 invalid_token',
      '403 insufficient_scope',
      '403 no_tenant',
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
    const codes = await answersDuring(service.getApplication, worst, [
      () => ({ token: 'a.b.c' }),
      () => ({ token: tokens.powerless }),
      () => ({ token: tokens.tenantless }),
      () => ({ token: tokens.good }),
      () => ({ pathParameters: { id: 'j-1', candidate_id: '' } }),
      () => ({ pathParameters: { id: 'j-1', candidate_id: 'nobody' } }),
      () => ({ pathParameters: { id: 'j-1', candidate_id: 'c-1' } }),
    ]);
    expect(codes).toEqual([
      '401 unauthenticated',
      '401 invalid_token',
      '403 insufficient_scope',
      '403 no_tenant',
      '400 invalid_path',
      '400 invalid_path',
      '404 application_not_found',
      '200 ok',
    ]);
  });
});
