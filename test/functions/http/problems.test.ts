import { beforeAll, describe, expect, it } from 'vitest';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../../functions/contract/operations.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { dynamoError } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { functionNames, type Service, useProxiedService } from '../../support/service.ts';

type Rejected = (
  service: ReturnType<typeof useProxiedService>,
) => TestRequest | Promise<TestRequest>;

/** Part of everything that a client sends. */
const MARK = 'echo-me';
const CONTROL = '\u0007';

type Contract = (typeof operations)[OperationName];

const token = ({ issuer }: Service, claims = {}) => issuer.mint({ tenant: 'acme', ...claims });

/** For each code, a request that is rejected with it, whichever operation lists it. */
const cases: Readonly<Record<ProblemCode, Rejected>> = {
  unauthenticated: () => ({ headers: { authorization: `${MARK} ${MARK}` } }),
  invalid_token: () => ({ token: `${MARK}.${MARK}.${MARK}` }),
  insufficient_scope: async (service) => ({ token: await token(service, { scope: MARK }) }),
  no_tenant: async (service) => ({ token: await token(service, { tenant: undefined, sub: MARK }) }),
  invalid_path: async (service) => ({
    token: await token(service),
    pathParameters: { id: `${MARK}${CONTROL}`, candidate_id: `${MARK}${CONTROL}` },
  }),
  internal: async (service) => {
    service.proxy.expect(dynamoError(400, 'AccessDeniedException'));
    return { token: await token(service, { sub: MARK }) };
  },
  unavailable: async (service) => {
    service.proxy.expect(dynamoError(500, 'InternalServerError'));
    return { token: await token(service, { sub: MARK }) };
  },
  application_not_found: async (service) => ({
    token: await token(service),
    pathParameters: { id: MARK, candidate_id: MARK },
  }),
  malformed_json: async (service) => ({ token: await token(service), body: `{"status":"${MARK}` }),
  invalid_body: async (service) => ({ token: await token(service), body: { status: MARK } }),
  job_not_found: async (service) => ({
    token: await token(service),
    pathParameters: { id: MARK },
  }),
  transition_refused: async (service) => ({
    token: await token(service, { sub: MARK }),
    body: { status: 'closed' },
  }),
  version_mismatch: async (service) => ({
    token: await token(service),
    headers: { 'if-match': `"${MARK}"` },
  }),
  body_too_large: async (service) => ({
    token: await token(service),
    body: { status: MARK.repeat(200) },
  }),
  unsupported_media_type: async (service) => ({
    token: await token(service),
    headers: { 'content-type': `text/${MARK}` },
  }),
};

const expected: Readonly<Record<string, ReturnType<typeof problemBody>>> = Object.fromEntries(
  [
    problemBody('unauthenticated'),
    problemBody('invalid_token'),
    problemBody('no_tenant'),
    problemBody('internal'),
    problemBody('unavailable'),
    problemBody('application_not_found'),
    problemBody('malformed_json'),
    problemBody('invalid_body', {
      errors: [
        {
          pointer: '/status',
          message: 'must be one of published, closed, archived, draft, paused',
        },
      ],
    }),
    problemBody('invalid_path', {
      errors: [
        { pointer: '/id', message: 'must be 1 to 256 bytes of UTF-8 without control characters' },
      ],
    }),
    problemBody('job_not_found'),
    problemBody('transition_refused', {
      current_status: 'draft',
      allowed_transitions: ['published', 'archived'],
    }),
    problemBody('version_mismatch'),
    problemBody('body_too_large'),
    problemBody('unsupported_media_type'),
  ].map((body) => [body.code, body]),
);
const scopeLacks = (scope: string) =>
  problemBody('insufficient_scope', { detail: expect.stringContaining(scope) });

describe('a problem', () => {
  const service = useProxiedService({ TENANT_CLAIM: 'tenant', TRANSITION_POLICY: 'lifecycle' });
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'acme' }));
    await service.table.put(jobItem({ tenant: 'acme' }));
    // The first requests are cold, which is a metric of its own.
    for (const name of functionNames) await service[name]();
  });

  describe.each(operationNames)('of %s', (name) => {
    const { operationId, method, problems: promised, scope }: Contract = operations[name];

    it.each(promised)('is %s in full, and echoes nothing', async (code) => {
      service.proxy.expect('none');
      const request = await cases[code](service);
      const answer = await service[operationId]({ token: undefined, ...request });
      const body = code === 'insufficient_scope' ? scopeLacks(scope) : expected[code];
      // DynamoDB may have applied an update to which it responds with 500.
      const isUnknown = code === 'unavailable' && method !== 'GET';
      expect(answer.body).toEqual({ ...body, ...(isUnknown && { outcome_unknown: true }) });
      expect(answer.status).toBe(body?.status);
      expect(answer.headers['Content-Type']).toBe('application/problem+json');
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(MARK);
    });

    it.each(promised)('is %s in one line of the log', async (code) => {
      service.proxy.expect('none');
      const request = await cases[code](service);
      await service[operationId]({ token: undefined, ...request });
      const { status } = problemTypes[code];
      const level = status === 500 ? 'ERROR' : status === 503 ? 'WARN' : 'INFO';
      expect(service.log.lines).toMatchObject([{ level, outcome: code, status }]);
      const [line = {}] = service.log.lines;
      expect('failure' in line).toBe(status >= 500);
    });
  });

  it('names the candidate if the candidate is wrong', async () => {
    const { body } = await service.getApplication({
      token: await token(service),
      pathParameters: { id: 'j-1', candidate_id: '' },
    });
    expect(body.code).toBe('invalid_path');
    expect(body.errors).toEqual([
      {
        pointer: '/candidate_id',
        message: 'must be 1 to 256 bytes of UTF-8 without control characters',
      },
    ]);
  });

  it('names a path parameter that is missing', async () => {
    const { body } = await service.updateJobStatus({
      token: await token(service),
      pathParameters: {},
    });
    expect(body.code).toBe('invalid_path');
    expect(body.errors).toEqual([{ pointer: '/id', message: "must have required property 'id'" }]);
  });
});
