import type { ProblemCode } from '../../../functions/contract/problem.ts';
import { type OperationName, operations } from '../../../functions/operations/operations.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';
import type { TestRequest } from '../../support/invoke.ts';
import { signingKey, type TestIssuer } from '../../support/issuer.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { application, who } from './canaries.ts';

interface Exposed {
  outcome: ProblemCode | 'ok';
  request?: TestRequest;
  fault?: Fault;
  /** Replaces members of the stored item, which becomes invalid. */
  stored?: Readonly<Record<string, unknown>>;
}

export const claims = {
  tenant: who.email,
  sub: who.email,
  client_id: who.phone,
  name: who.name,
  email: who.email,
  phone_number: who.phone,
  picture: who.signedUrl,
  address: { locality: who.place, note: who.summary },
};

export const unread = {
  headers: {
    'content-type': 'application/json',
    'user-agent': `${who.name} ${who.email}`,
    referer: who.signedUrl,
    traceparent: who.email,
    [`x-${who.email}`]: who.summary,
  },
  query: new URLSearchParams({ name: who.name, email: who.email }).toString(),
  cookies: [`session=${who.secret}`, `email=${who.email}`],
  event: { stageVariables: { note: who.comment } },
};

const isOfApplication = (operation: OperationName) =>
  operations[operation].path.includes('{candidate_id}');

export const itemOf = (operation: OperationName) =>
  isOfApplication(operation)
    ? applicationItem(
        { tenant: who.email, job: who.email, candidate: who.phone },
        { ...application, user_id: who.phone },
      )
    : jobItem({ tenant: who.email, job: who.email }, { title: who.name });

async function ofCredentials(issuer: TestIssuer): Promise<Exposed[]> {
  const token = (others: object, header = {}) => issuer.mint({ ...claims, ...others }, header);
  const unsigned = [{ alg: 'RS256', kid: who.email }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const invalid = await Promise.all([
    ...[who.email, unsigned, `${unsigned}.${who.secret}`],
    token({ exp: 1 }),
    token({ sub: `${who.name}\n${who.email}` }),
    token({}, { kid: who.email, typ: who.name, jku: who.signedUrl }),
    issuer.mint(claims, {}, { ...(await signingKey()), kid: issuer.key.kid }),
    token({ note: who.summary.repeat(200) }),
  ]);
  const basic = Buffer.from(`${who.email}:${who.secret}`).toString('base64');
  return [
    { outcome: 'unauthenticated', request: { token: undefined } },
    { outcome: 'unauthenticated', request: { headers: { authorization: `Basic ${basic}` } } },
    ...invalid.map((one): Exposed => ({ outcome: 'invalid_token', request: { token: one } })),
    { outcome: 'insufficient_scope', request: { token: await token({ scope: who.name }) } },
    { outcome: 'no_tenant', request: { token: await token({ tenant: `${who.name}\n` }) } },
  ];
}

function ofDatabase(operation: OperationName): Exposed[] {
  const said = `Item { name: "${who.name}", email: "${who.email}" } ${who.signedUrl}`;
  const wrong = isOfApplication(operation)
    ? [
        { email: [who.email], name: { first: who.name } },
        { evaluations: { [who.name]: who.comment } },
        { [who.email]: who.name, stage_id: 7 },
      ]
    : [{ status: who.name }, { version: who.phone, [who.email]: who.name }];
  const faults: [Exposed['outcome'], Fault][] = [
    ['internal', dynamoError(400, 'AccessDeniedException', said)],
    ['internal', dynamoError(400, 'ValidationException', said)],
    ['unavailable', dynamoError(400, who.name)],
    ['unavailable', dynamoError(500, 'InternalServerError', said)],
    ['unavailable', { status: 200, body: `{"Item": ${said}` }],
    ['unavailable', 'reset'],
  ];
  return [
    ...wrong.map((stored): Exposed => ({ outcome: 'stored_data_invalid', stored })),
    ...faults.map(([outcome, fault]): Exposed => ({ outcome, fault })),
  ];
}

function ofInput(): Exposed[] {
  const stranger = { id: `${who.email}.other`, candidate_id: who.email };
  const wrong = { id: `${who.name}\u0000`, candidate_id: who.email.repeat(9) };
  const large = { status: who.name, candidate: application };
  return [
    { outcome: 'invalid_path', request: { pathParameters: wrong } },
    { outcome: 'application_not_found', request: { pathParameters: stranger } },
    { outcome: 'job_not_found', request: { pathParameters: stranger } },
    { outcome: 'malformed_json', request: { body: `{"status":"${who.email}` } },
    { outcome: 'invalid_body', request: { body: { status: who.email } } },
    { outcome: 'invalid_body', request: { body: { status: 'draft', [who.email]: who.name } } },
    { outcome: 'body_too_large', request: { body: large } },
    { outcome: 'unsupported_media_type', request: { headers: { 'content-type': who.email } } },
    { outcome: 'version_mismatch', request: { headers: { 'if-match': `"${who.email}"` } } },
    { outcome: 'transition_refused', request: { body: { status: 'paused' } } },
  ];
}

export const exposedRequests = async (
  operation: OperationName,
  issuer: TestIssuer,
): Promise<Exposed[]> => [
  { outcome: 'ok' },
  ...(await ofCredentials(issuer)),
  ...[...ofInput(), ...ofDatabase(operation)].filter(({ outcome }) =>
    operations[operation].problems.some((code) => code === outcome),
  ),
];
