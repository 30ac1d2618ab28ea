import middy from '@middy/core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { responseHeaders } from '../../../functions/http/response-headers.ts';
import { dynamoError } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { functionNames, useProxiedService } from '../../support/service.ts';

const always = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'request-of-headers',
};
const problem = { ...always, 'Content-Type': 'application/problem+json' };
const challenge = (rest: string) => ({
  ...problem,
  'WWW-Authenticate': `Bearer realm="recruitment"${rest}`,
});

describe('the headers', () => {
  const service = useProxiedService({ TENANT_CLAIM: 'tenant', TRANSITION_POLICY: 'lifecycle' });
  let good: TestRequest;
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'acme' }));
    await service.table.put(jobItem({ tenant: 'acme' }));
    const token = await service.issuer.mint({ tenant: 'acme' });
    good = { token, requestId: 'request-of-headers' };
  });
  beforeEach(() => service.proxy.expect('none'));

  it('of a read are these and no others', async () => {
    const { status, headers } = await service.getApplication(good);
    expect(status).toBe(200);
    expect(headers).toEqual({ ...always, 'Content-Type': 'application/json' });
  });

  it('of an update are these and no others', async () => {
    const { status, headers } = await service.updateJobStatus({
      ...good,
      body: { status: 'draft' },
    });
    expect(status).toBe(200);
    expect(headers).toEqual({ ...always, 'Content-Type': 'application/json', ETag: '"1"' });
  });

  it.each<[string, TestRequest, Record<string, string>]>([
    ['401 without credentials', { token: undefined }, challenge('')],
    ['401 with bad ones', { token: 'a.b.c' }, challenge(', error="invalid_token"')],
    ['400 for the path', { pathParameters: { id: '', candidate_id: '' } }, problem],
    ['404', { pathParameters: { id: 'nobody', candidate_id: 'nobody' } }, problem],
  ])('of %s are these and no others, whichever the operation', async (_, request, headers) => {
    for (const name of functionNames) {
      expect((await service[name]({ ...good, ...request })).headers).toEqual(headers);
    }
  });

  it.each<[number, TestRequest, Record<string, string>]>([
    [400, { body: '{' }, problem],
    [400, { body: {} }, problem],
    [409, { body: { status: 'closed' } }, problem],
    [412, { headers: { 'if-match': '"9"' } }, { ...problem, ETag: '"1"' }],
    [413, { body: ' '.repeat(1025) }, problem],
    [
      415,
      { headers: { 'content-type': 'text/plain' } },
      { ...problem, 'Accept-Patch': 'application/json' },
    ],
  ])('of %s are these and no others', async (expected, request, headers) => {
    const answer = await service.updateJobStatus({ ...good, ...request });
    expect(answer.status).toBe(expected);
    expect(answer.headers).toEqual(headers);
  });

  it('of 403 are these and no others', async () => {
    const lacking = (scope: string) => challenge(`, error="insufficient_scope", scope="${scope}"`);
    const weak = { ...good, token: await service.issuer.mint({ scope: '' }) };
    const stray = { ...good, token: await service.issuer.mint() };
    for (const request of [weak, stray]) {
      const read = await service.getApplication(request);
      expect([read.status, read.headers]).toEqual([403, lacking('applications:read')]);
      const update = await service.updateJobStatus(request);
      expect([update.status, update.headers]).toEqual([403, lacking('jobs:write')]);
    }
  });

  it('of 500 and 503 are these and no others', async () => {
    for (const name of functionNames) {
      service.proxy.expect(dynamoError(400, 'AccessDeniedException'));
      expect((await service[name](good)).headers).toEqual(problem);
      service.proxy.expect(dynamoError(500, 'InternalServerError'));
      expect((await service[name](good)).headers).toEqual({ ...problem, 'Retry-After': '1' });
    }
  });

  it('are left to Lambda if there is no answer', async () => {
    const handler = middy()
      .use(responseHeaders())
      .handler(() => undefined);
    const event = { requestContext: { requestId: 'r' } };
    await expect(handler(event as never, {} as never)).resolves.toBeUndefined();
  });
});
