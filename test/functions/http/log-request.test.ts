import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationItem, jobItem } from '../../support/items.ts';
import { loadFunctions, startProxiedService } from '../../support/service.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ofAnyRequest = {
  level: 'INFO',
  timestamp: expect.stringMatching(ISO),
  function_version: '7',
  job_id: 'j-1',
  tenant: 'default',
  outcome: 'ok',
  status: 200,
  duration_ms: expect.any(Number),
  cold_start: expect.any(Boolean),
};
/** From the examples in W3C Trace Context. */
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the log of a request', async () => {
  const service = await startProxiedService({
    TRANSITION_POLICY: 'lifecycle',
    AWS_LAMBDA_FUNCTION_VERSION: '7',
  });
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

  it('says that the status was changed even if only the second attempt got a response', async () => {
    service.proxy.expect('response lost', 'none');
    await service.updateJobStatus({ body: { status: 'published' } });
    expect(service.log.lines).toMatchObject([{ status: 200, status_changed_to: 'published' }]);
  });

  it('does not report a status change if the job already had the status', async () => {
    await service.updateJobStatus({ body: { status: 'draft' } });
    expect(service.log.lines).toMatchObject([{ status: 200 }]);
    expect(service.log.lines[0]).not.toHaveProperty('status_changed_to');
  });

  it('has a true cold_start only for the first request of an execution environment', async () => {
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

  it('has the duration in milliseconds on the monotonic clock', async () => {
    let monotonic = 5000;
    const clock = () => ({ date: Date.now(), monotonic });
    const functions = await loadFunctions({ ...service, options: { ...service.options, clock } });
    const respondsAfter = async () => {
      monotonic += 123.4567;
    };
    service.proxy.expect({ respondsAfter });
    await functions.getApplication();
    expect(service.log.lines).toMatchObject([{ status: 200, duration_ms: 123.457 }]);
  });

  it.each([
    [`00-${TRACE}-${SPAN}-01`, TRACE],
    [`00-${TRACE}-${SPAN}-00`, TRACE],
    [`cc-${TRACE}-${SPAN}-01`, TRACE],
    [`cc-${TRACE}-${SPAN}-01-ana@example.com`, TRACE],
    [undefined],
    [''],
    [`00-${TRACE}-${SPAN}-01-ana@example.com`],
    [`00-${TRACE}-${SPAN}-01-`],
    [`cc-${TRACE}-${SPAN}-01.ana@example.com`],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE.slice(1)}-${SPAN}-01`],
    [`00-${TRACE}0-${SPAN}-01`],
    [`00-${TRACE}-${SPAN.slice(1)}-01`],
    [`00-${TRACE}-${SPAN}`],
    [`00-${TRACE}-${SPAN}-0`],
    [`00-${TRACE}-${SPAN}-0g`],
    [`0-${TRACE}-${SPAN}-01`],
    [` 00-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01,00-${TRACE}-${SPAN}-01`],
  ])('has the trace id only of a valid traceparent: %s', async (traceparent, traceId?: string) => {
    await service.getApplication({ token: undefined, headers: { traceparent } });
    const [line = {}] = service.log.lines;
    expect(line.trace_id).toBe(traceId);
    expect(service.log.text).not.toContain('example.com');
  });

  it.each<[string, Record<string, string> | undefined, string[]]>([
    ['empty', { id: '', candidate_id: '' }, []],
    ['of a path without parameters', undefined, []],
    ['too long', { id: 'x'.repeat(257), candidate_id: 'c-1' }, ['candidate_id']],
    ['not printable', { id: 'j-1', candidate_id: 'a\nb' }, ['job_id']],
    ['half a surrogate pair', { id: '\ud800', candidate_id: 'c-1' }, ['candidate_id']],
    ['missing', { id: 'j-1' }, ['job_id']],
  ])('leaves out an identifier that is %s', async (_, pathParameters, named) => {
    await service.getApplication({ pathParameters });
    const [line = {}] = service.log.lines;
    expect(Object.keys(line).filter((name) => /^(job|candidate)_id$/.test(name))).toEqual(named);
  });

  it.each<[string, object, object]>([
    ['is not a JWT', { jwt: 'ana@example.com' }, { token_fault: 'not_signed_jwt' }],
    [
      'has another issuer',
      { iss: 'https://Login.example.com:8443/realms/a_b-c.d~e/' },
      {
        token_fault: 'other_issuer',
        token_issuer: 'https://Login.example.com:8443/realms/a_b-c.d~e/',
      },
    ],
    ...[
      'http://127.0.0.1',
      'https://ana@example.com',
      'https://example.com/?ana',
      'https://example.com/#ana',
      'https://example.com/ana%40example.com',
      'https://example.com/ana maria',
      'https://example.com/josé',
      'https://example.com/{ana}',
      'https://example.com\n',
      `https://example.com/${'x'.repeat(237)}`,
      ['https://example.com'],
      null,
    ].map((iss): [string, object, object] => [
      `has the issuer ${JSON.stringify(iss).slice(0, 40)}`,
      { iss },
      { token_fault: 'other_issuer' },
    ]),
  ])('says why a token is refused that %s, and names nobody', async (_, claims, expected) => {
    const { jwt, ...others }: { jwt?: string } = claims;
    const token =
      jwt ?? (await service.issuer.mint({ sub: 'ana', client_id: 'partner', ...others }));
    await service.getApplication({ token });
    const { token_fault, token_issuer, ...line } = service.log.lines[0] ?? {};
    expect({ token_fault, token_issuer }).toEqual(expected);
    expect(line).toMatchObject({ outcome: 'invalid_token', status: 401 });
    expect(Object.keys(line)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(tenant|subject|client)$/)]),
    );
    expect(service.log.text).not.toMatch(/\bana\b|partner/);
  });
});
