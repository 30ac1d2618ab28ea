import type { FromSchema } from 'json-schema-to-ts';
import type { Operation } from '../../contract/operation.ts';
import { commonProblems } from '../../contract/problem.ts';
import { JobStatus, jobStatuses } from '../../domain/job.ts';
import { objectSchema } from '../../domain/json-schema.ts';

/** Refuses members other than `status`, so that a typo is noticed. */
const JobStatusUpdate = {
  ...objectSchema({ status: JobStatus }),
  additionalProperties: false,
} as const;
type JobStatusUpdate = FromSchema<typeof JobStatusUpdate>;

export const JobStatusUpdated = objectSchema({
  success: {
    type: 'boolean',
    const: true,
    description: 'Always `true`: the job has the status that was sent.',
  },
});
export type JobStatusUpdated = FromSchema<typeof JobStatusUpdated>;

/** `docs/spec.md`, section 4.2. */
export const updateJobStatus = {
  operationId: 'updateJobStatus',
  method: 'PATCH',
  path: '/v1/jobs/{id}/status',
  scope: 'jobs:write',
  summary: 'Update job status',
  description:
    'Sets the status of a job. If it already has this status, the request succeeds and changes nothing. ' +
    "With a version in `If-Match`, a retry cannot undo somebody else's change: the status is set only if the job " +
    'has one of the versions that you list. If a response was lost and the retry gets 412 with your ' +
    'version plus one as its `ETag`, your first attempt was probably applied. No job has the version `"0"`, which ' +
    "therefore changes nothing and gets 412 with the job's version and `current_status`.",
  parameters: { id: 'job_id' },
  headers: {
    'If-Match': {
      type: 'string',
      description:
        'Up to 50 `ETag`s of this job, with their quotation marks, or `*` for any version ' +
        '(RFC 9110, section 13.1.1).',
      // Tools may send the first example, so it must match every version.
      examples: ['*', '"3"'],
    },
  },
  body: {
    schemaName: 'JobStatusUpdate',
    schema: JobStatusUpdate,
    rules: {
      '': 'must be an object with `status` and no other member',
      '/status': `must be one of ${jobStatuses.join(', ')}`,
    },
    example: { status: 'published' } satisfies JobStatusUpdate,
  },
  response: {
    status: 200,
    description: 'The job has the status that was sent.',
    schemaName: 'JobStatusUpdated',
    schema: JobStatusUpdated,
    example: { success: true } satisfies JobStatusUpdated,
    headers: {
      ETag: {
        type: 'string',
        pattern: '^"[1-9]\\d*"$',
        description: "The job's version (RFC 9110, section 8.8.3).",
        examples: ['"4"'],
      },
    },
  },
  problems: [
    'invalid_path',
    'stored_data_invalid',
    ...commonProblems,
    'malformed_json',
    'invalid_body',
    'job_not_found',
    'transition_refused',
    'version_mismatch',
    'body_too_large',
    'unsupported_media_type',
  ],
} as const satisfies Operation;
