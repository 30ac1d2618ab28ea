import { dynamoError, type Fault } from '../../support/faults.ts';
import type { Person } from './canaries.ts';
import type { Exposed } from './exposure.ts';

/** What does not fit the contract, in an application. */
export const wrongApplications = (who: Person): Record<string, unknown>[] => [
  { email: [who.email] },
  { name: { first: who.name } },
  { created_at: who.phone },
  { education: [{ start_date: who.place }] },
  { experience: who.summary },
  { evaluations: [{ id: who.comment, evaluator: who.name, recommendation: who.comment }] },
  { score: who.signedUrl },
  { [who.email]: who.name, stage_id: 7 },
];

/** The same in a job. */
export const wrongJobs = (who: Person): Record<string, unknown>[] => [
  { status: who.name },
  { version: who.phone },
  { last_change_id: { of: who.email }, status: 'published' },
];

const said = (who: Person) =>
  `Item { name: "${who.name}", email: "${who.email}" } ${who.signedUrl}`;

/** Answers of DynamoDB that quote the item, and what comes of them. */
export function faults(who: Person): [Exposed['outcome'], Fault][] {
  const quoting = (status: number, name: string): Fault => ({
    status,
    body: JSON.stringify({ __type: `com.amazonaws#${name}`, message: said(who), Item: said(who) }),
  });
  const ofType = (type: string): Fault => ({ status: 400, body: JSON.stringify({ __type: type }) });
  return [
    ['internal', quoting(400, 'AccessDeniedException')],
    ['internal', quoting(400, 'ValidationException')],
    ['internal', quoting(400, 'ResourceNotFoundException')],
    ['internal', ofType(said(who))],
    ['internal', dynamoError(400, who.name)],
    ['unavailable', quoting(400, 'ProvisionedThroughputExceededException')],
    ['unavailable', quoting(400, 'ThrottlingException')],
    ['unavailable', quoting(500, 'InternalServerError')],
    ['unavailable', { status: 503, body: `<html>${said(who)}` }],
    ['unavailable', { status: 200, body: `{"Item": ${said(who)}` }],
    ['unavailable', { status: 200, body: said(who) }],
    ['unavailable', 'truncated'],
    ['unavailable', 'cut off'],
    ['unavailable', 'no http'],
    ['unavailable', 'reset'],
  ];
}
