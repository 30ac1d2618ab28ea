import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../../functions/contract/operation.ts';
import { type ProblemCode, problemDefinitions } from '../../../functions/contract/problem.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { problemBody, validRequest } from '../../support/contract.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

interface Rejected {
  claims?: Readonly<Record<string, unknown>>;
  request?: TestRequest;
  members?: Readonly<Record<string, unknown>>;
  fault?: Fault;
}

/** Sent wherever possible. No response may repeat it. */
const MARK = 'echo-me';
const CONTROL = '\u0007';
const RULE = 'must be 1 to 256 bytes of UTF-8 without control characters';

/** Problem code -> a request that each operation listing the code must reject with it. */
const cases: Readonly<Record<ProblemCode, Rejected>> = {
  unauthenticated: { request: { token: undefined, headers: { authorization: `${MARK} ${MARK}` } } },
  invalid_token: { request: { token: `${MARK}.${MARK}.${MARK}` } },
  insufficient_scope: { claims: { scope: MARK } },
  no_tenant: { claims: { tenant: undefined, sub: MARK } },
  invalid_path: {
    request: { pathParameters: { id: `${MARK}${CONTROL}`, candidate_id: `${MARK}${CONTROL}` } },
  },
  internal: { claims: { sub: MARK }, fault: dynamoError(400, 'AccessDeniedException') },
  stored_data_invalid: {
    claims: { sub: MARK },
    request: { pathParameters: { id: 'misfit', candidate_id: 'c-1' } },
  },
  unavailable: { claims: { sub: MARK }, fault: dynamoError(500, 'InternalServerError') },
  application_not_found: { request: { pathParameters: { id: MARK, candidate_id: MARK } } },
  malformed_json: { request: { body: `{"status":"${MARK}` } },
  invalid_body: { members: { status: MARK } },
  job_not_found: { request: { pathParameters: { id: MARK } } },
  transition_refused: { claims: { sub: MARK }, members: { status: 'closed' } },
  version_mismatch: { request: { headers: { 'if-match': `"${MARK}"` } } },
  body_too_large: { request: { body: { status: MARK.repeat(200) } } },
  unsupported_media_type: { request: { headers: { 'content-type': `text/${MARK}` } } },
};

const extensions: Readonly<Partial<Record<ProblemCode, object>>> = {
  invalid_body: {
    errors: [{ pointer: '/status', message: `must be one of ${jobStatuses.join(', ')}` }],
  },
  invalid_path: { errors: [{ pointer: '/id', message: RULE }] },
  version_mismatch: { current_status: 'draft' },
  transition_refused: {
    detail: 'A job with the status draft cannot move to closed.',
    current_status: 'draft',
    allowed_transitions: ['published', 'archived'],
  },
};

const always = {
  'Content-Type': 'application/problem+json',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'request-1',
};
const challenge = (rest: string) => ({
  'WWW-Authenticate': `Bearer realm="recruitment"${rest}`,
});

function expectedHeaders(code: ProblemCode, { scope, method }: Operation): Record<string, string> {
  const headers: Partial<Record<ProblemCode, Record<string, string>>> = {
    unauthenticated: challenge(''),
    invalid_token: challenge(', error="invalid_token"'),
    insufficient_scope: challenge(`, error="insufficient_scope", scope="${scope}"`),
    no_tenant: challenge(', error="insufficient_scope"'),
    transition_refused: { ETag: '"1"' },
    version_mismatch: { ETag: '"1"' },
    ...(method === 'PATCH' && {
      unsupported_media_type: { 'Accept-Patch': 'application/json' },
    }),
    unavailable: { 'Retry-After': '1' },
  };
  return headers[code] ?? {};
}

describe('a problem', async () => {
  const service = await startProxiedService({
    TENANT_CLAIM: 'tenant',
    TRANSITION_POLICY: 'lifecycle',
  });
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'acme' }));
    await service.table.put(jobItem({ tenant: 'acme' }));
    const misfit = { tenant: 'acme', job: 'misfit' };
    await service.table.put(jobItem(misfit, { version: MARK }));
    await service.table.put(applicationItem(misfit, { email: [MARK] }));
  });

  describe.each(operationNames)('of %s', (name) => {
    const operation: Operation = operations[name];
    const { method, problems: promised, scope, body: content } = operation;
    const { operationId } = operations[name];

    it.each(promised)(
      'is %s in full and in one line of the log, and echoes nothing',
      async (code) => {
        const { claims, request, members, fault = 'none' } = cases[code];
        service.proxy.expect(fault);
        const token = await service.issuer.mint({ tenant: 'acme', ...claims });
        const { pathParameters: ids } = validRequest(operation);
        const sent = {
          ...(request?.pathParameters && { pathParameters: { ...ids, ...request.pathParameters } }),
          ...(members && { body: { ...content?.example, ...members } }),
        };
        const response = await service[operationId]({ token, ...request, ...sent });
        const { status } = problemDefinitions[code];
        const body = problemBody(code, { ...extensions[code] });
        if (code === 'insufficient_scope') body.detail = expect.stringContaining(scope);
        // After a 500 from DynamoDB, nobody knows whether it has applied the update.
        const isUnknown = code === 'unavailable' && method !== 'GET';
        expect(response.body).toEqual({ ...body, ...(isUnknown && { outcome_unknown: true }) });
        expect(response.status).toBe(status);
        expect(response.headers).toEqual({ ...always, ...expectedHeaders(code, operation) });
        expect(response.text + JSON.stringify(response.headers)).not.toContain(MARK);
        const level = code === 'internal' ? 'ERROR' : status >= 500 ? 'WARN' : 'INFO';
        expect(service.log.lines).toMatchObject([{ level, outcome: code, status }]);
        const [line = {}] = service.log.lines;
        expect('failure' in line).toBe(status >= 500);
      },
    );
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['is wrong', { id: 'j-1', candidate_id: '' }, '/candidate_id', RULE],
    ['is missing', { id: 'j-1' }, '/candidate_id', "must have required property 'candidate_id'"],
  ])('names a path parameter that %s', async (_, pathParameters, pointer, message) => {
    const token = await service.issuer.mint({ tenant: 'acme' });
    const { body } = await service.getApplication({ token, pathParameters });
    expect(body).toMatchObject({ code: 'invalid_path', errors: [{ pointer, message }] });
  });
});
