import { getApplication } from '../../../functions/contract/get-application.ts';
import { bearerChallenge, entityTag } from '../../../functions/contract/headers.ts';
import type { ProblemCode } from '../../../functions/contract/problem.ts';
import { updateJobStatus } from '../../../functions/contract/update-job-status.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import type { ApiRequest } from './api-client.ts';
import type { Expectation } from './expectation.ts';
import type { TestRecords } from './records.ts';

/** A request, and what its response must be. */
export interface Step {
  /** What the service does, as a sentence without its subject. */
  name: string;
  request: ApiRequest;
  expected: Expectation;
  /** The problem after which it is sent again for a while: an eventually consistent read may miss a write. */
  settlesAfter?: ProblemCode;
  /** What to check if that problem does not go away. */
  hint?: string;
}

const read = (id: string, candidate_id: string) => ({
  operation: getApplication,
  parameters: { id, candidate_id },
});

const update = (id: string, status: string, version?: number) => ({
  operation: updateJobStatus,
  parameters: { id },
  body: { status },
  ...(version !== undefined && { headers: { 'If-Match': entityTag(version) } }),
});

/** Requests that are rejected whatever the table contains: the records need not exist. */
export const rejections = ({ job }: TestRecords): Step[] => [
  {
    name: 'rejects a read without a token',
    request: { ...read(job, 'unknown'), isAnonymous: true },
    expected: {
      problem: 'unauthenticated',
      // RFC 6750, section 3.1: no error code if the request has no credentials.
      headers: { 'WWW-Authenticate': bearerChallenge() },
    },
  },
  {
    name: 'answers 404 for an unknown application',
    request: read(job, 'unknown'),
    expected: { problem: 'application_not_found' },
  },
  {
    name: 'rejects an unknown status',
    request: update(job, 'smoking'),
    expected: { problem: 'invalid_body' },
  },
  {
    name: 'answers 404 for an unknown job',
    request: update(`${job}-other`, 'paused'),
    expected: { problem: 'job_not_found' },
  },
];

/**
 * A read of the application and two changes of the job. Every transition policy allows both changes, and
 * the job ends with the status that it had.
 */
export function uses({ tenant, job, application }: TestRecords): Step[] {
  const change = (status: JobStatus, version: number) => ({
    request: update(job, status, version),
    expected: { body: { success: true }, headers: { ETag: entityTag(version + 1) } },
  });
  return [
    {
      name: 'reads every field of the application',
      request: read(job, application.user_id),
      expected: { body: application },
      settlesAfter: 'application_not_found',
      hint:
        `it was written for the tenant "${tenant}": check that the token acts in this tenant ` +
        '(--tenant), and that the API uses the same table (--table)',
    },
    { name: 'changes the status', ...change('paused', 1) },
    {
      name: 'rejects a stale If-Match',
      request: update(job, 'closed', 1),
      expected: { problem: 'version_mismatch', headers: { ETag: entityTag(2) } },
    },
    { name: 'restores the status', ...change('published', 2) },
  ];
}
