import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../functions/contract/operations.ts';
import { dynamoError } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { type Service, useProxiedService } from '../../support/service.ts';

type Refused = (
  service: ReturnType<typeof useProxiedService>,
) => TestRequest | Promise<TestRequest>;
type Cases = Readonly<Record<string, Refused>>;

/** Stands wherever a client can write something. */
const MARK = 'echo-me';
const CONTROL = '\u0007';

const token = ({ issuer }: Service, claims = {}) => issuer.mint({ tenant: 'acme', ...claims });

const ofBoth: Cases = {
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
};

const ofRead: Cases = {
  ...ofBoth,
  application_not_found: async (service) => ({
    token: await token(service),
    pathParameters: { id: MARK, candidate_id: MARK },
  }),
};

const ofUpdate: Cases = {
  ...ofBoth,
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
    problemBody('unauthenticated', 'Send Authorization: Bearer <access token>.'),
    problemBody(
      'invalid_token',
      'The access token is refused. It is not a token of the issuer of this service, or not yet valid.',
    ),
    problemBody('no_tenant', 'The access token must name the tenant it acts in.'),
    problemBody('internal', 'The failure is recorded under request_id.'),
    problemBody('unavailable', 'The database does not answer. Try again later.'),
    problemBody('application_not_found', 'The candidate has no application to this job.'),
    problemBody('malformed_json', 'Send a JSON text in UTF-8 as the body.'),
    problemBody('invalid_body', 'Correct what `errors` points at.', {
      errors: [
        {
          pointer: '/status',
          message: 'must be one of published, closed, archived, draft, paused',
        },
      ],
    }),
    problemBody('invalid_path', 'Correct the identifiers in the path.', {
      errors: [
        { pointer: '/id', message: 'must be 1 to 256 bytes of UTF-8 without control characters' },
      ],
    }),
    problemBody('job_not_found', 'There is no job with this id.'),
    problemBody('transition_refused', 'A job that is draft may not become closed.', {
      current_status: 'draft',
      allowed_transitions: ['published', 'archived'],
    }),
    problemBody('version_mismatch', 'Compare with the current ETag and decide again.'),
    problemBody('body_too_large', 'Send at most 1024 bytes.'),
    problemBody('unsupported_media_type', 'Send Content-Type: application/json.'),
  ].map((body) => [body.code, body]),
);
const scopeLacks = (scope: string) =>
  problemBody('insufficient_scope', `The access token lacks the scope ${scope}.`);

describe('a problem', () => {
  const service = useProxiedService({ TENANT_CLAIM: 'tenant', TRANSITION_POLICY: 'lifecycle' });
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'acme' }));
    await service.table.put(jobItem({ tenant: 'acme' }));
  });

  describe.each([
    { name: 'get-application', call: 'getApplication', cases: ofRead },
    { name: 'update-job-status', call: 'updateJobStatus', cases: ofUpdate },
  ] as const)('of $name', ({ name, call, cases }) => {
    const { problems: promised, scope } = operations[name];

    it('can be each one that the contract lists', () => {
      expect(Object.keys(cases).toSorted()).toEqual(promised.toSorted());
    });

    it.each(Object.entries(cases))('is %s in full, and echoes nothing', async (code, refused) => {
      service.proxy.expect('none');
      const request = await refused(service);
      const answer = await service[call]({ token: undefined, ...request });
      const body = code === 'insufficient_scope' ? scopeLacks(scope) : expected[code];
      expect(answer.body).toEqual(body);
      expect(answer.status).toBe(body?.status);
      expect(answer.headers['Content-Type']).toBe('application/problem+json');
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(MARK);
    });
  });

  it('names the candidate where the candidate is wrong', async () => {
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
