import { operations } from '../../../functions/contract/operations.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { applicationOf, type Person } from './canaries.ts';
import { refusedCredentials } from './exposed-credentials.ts';
import { faults, wrongApplications, wrongJobs } from './exposed-storage.ts';
import type { Exposed, Exposure } from './exposure.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The parts of a request that nothing reads. */
export function unread(who: Person) {
  const query = { name: who.name, email: who.email, phone: who.phone, url: who.signedUrl };
  return {
    headers: {
      'user-agent': `${who.name} ${who.email}`,
      referer: who.signedUrl,
      from: who.email,
      'x-candidate': who.summary,
      [`x-${who.email}`]: who.phone,
      'x-forwarded-for': who.phone,
    },
    event: {
      rawQueryString: new URLSearchParams(query).toString(),
      queryStringParameters: query,
      cookies: [`session=${who.secret}`, `email=${who.email}`],
      stageVariables: { note: who.comment },
    },
  };
}

/** Requests of `updateJobStatus` alone. */
function ofUpdate(who: Person): Exposed[] {
  const members = { status: who.name, [who.email]: who.phone, candidate: applicationOf(who) };
  return [
    { outcome: 'malformed_json', request: { body: `{"status":"${who.email}` } },
    { outcome: 'malformed_json', request: { body: who.summary } },
    { outcome: 'malformed_json', request: { body: undefined } },
    { outcome: 'invalid_body', request: { body: { status: who.email } } },
    { outcome: 'invalid_body', request: { body: { status: 'draft', [who.email]: who.name } } },
    { outcome: 'invalid_body', request: { body: [who.name, who.email] } },
    { outcome: 'invalid_body', request: { body: `{"__proto__":{"email":"${who.email}"}}` } },
    { outcome: 'body_too_large', request: { body: members } },
    { outcome: 'unsupported_media_type', request: { headers: { 'content-type': who.email } } },
    {
      outcome: 'version_mismatch',
      request: { headers: { ...JSON_TYPE, 'if-match': `"${who.email}", "${who.phone}"` } },
    },
    { outcome: 'transition_refused', request: { body: { status: 'paused' } } },
    { outcome: 'ok', request: { body: { status: 'draft' } } },
  ];
}

/** Every outcome of an operation, each by requests that hold the data of `who` all over. */
export async function exposedRequests(exposure: Exposure): Promise<Exposed[]> {
  const { who, operation } = exposure;
  const isOfApplication = 'candidate_id' in operations[operation].parameters.properties;
  const item = (members: object) =>
    isOfApplication
      ? applicationItem(
          { tenant: who.email, job: who.email, candidate: who.phone },
          { ...applicationOf(who), ...members },
        )
      : jobItem({ tenant: who.email, job: who.email }, { title: who.name, ...members });
  const wrong = isOfApplication ? wrongApplications(who) : wrongJobs(who);
  const stranger = { id: `${who.email}.other`, candidate_id: who.email };
  const tooLong = { id: who.email.repeat(9), candidate_id: `${who.name}\n` };
  const requests: Exposed[] = [
    { outcome: 'ok', request: {} },
    ...(await refusedCredentials(exposure)),
    { outcome: 'invalid_path', request: { pathParameters: tooLong } },
    {
      outcome: 'invalid_path',
      request: { pathParameters: { id: `${who.name}\u0000`, candidate_id: '' } },
    },
    {
      outcome: isOfApplication ? 'application_not_found' : 'job_not_found',
      request: { pathParameters: stranger },
    },
    ...wrong.map((members): Exposed => ({ outcome: 'internal', request: {}, item: item(members) })),
    ...faults(who).map(([outcome, fault]): Exposed => ({ outcome, request: {}, fault })),
    { outcome: 'unavailable', request: { remainingMs: 800 }, fault: 'hang' },
    ...(operation === 'update-job-status' ? ofUpdate(who) : []),
  ];
  return requests.map((exposed) => ({ item: item({}), ...exposed }));
}
