import type { FromSchema } from 'json-schema-to-ts';
import { IDENTIFIER_LIMIT_BYTES } from '../domain/identifier.ts';
import { JobStatus } from '../domain/job.ts';
import { objectSchema } from '../domain/record.ts';

/** An identifier, by keywords that every validator knows: a character has one or more bytes. */
const id = { type: 'string', minLength: 1, maxLength: IDENTIFIER_LIMIT_BYTES } as const;

/**
 * The `detail` of the event of a change of a job's status. Like `/v1`, it grows only by addition:
 * new members may come.
 */
export const JobStatusChanged = {
  description: 'The status of a job was changed.',
  ...objectSchema({
    id: {
      type: 'string',
      minLength: 1,
      description: 'Identifier of the change. An event that is delivered again has the same.',
    },
    occurred_at: {
      type: 'string',
      format: 'date-time',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
      description:
        'When the status was changed. ISO 8601 in UTC with milliseconds and a trailing Z.',
    },
    tenant_id: { ...id, description: 'Identifier of the tenant that owns the job.' },
    job_id: { ...id, description: 'Identifier of the job.' },
    from: { ...JobStatus, description: 'Previous status of the job.' },
    to: { ...JobStatus, description: 'New status of the job.' },
    actor: {
      ...id,
      description:
        'Who changed it: the `sub` of the access token. If it does not consist of ASCII letters, digits ' +
        'and `_ . : | ~ -`, it is replaced by `sha256:` and the first 16 hexadecimal digits of its SHA-256.',
    },
    sequence: {
      type: 'string',
      pattern: '^[1-9]\\d*$',
      description:
        'The new version of the job, a whole number in decimal digits: compare the sequences of a ' +
        'job as numbers. It is a string because EventBridge Pipes turns numbers of DynamoDB into ' +
        'strings.',
    },
  }),
} as const;
export type JobStatusChanged = FromSchema<typeof JobStatusChanged>;

export const jobStatusChanged = {
  /** `source` and `detail-type` of the event on the bus. */
  source: 'recruitment',
  type: 'job.status_changed',
  summary: 'Job status changed',
  description:
    'Sent after each change of the status of a job, at least once and in any order: `sequence` ' +
    'orders the changes of a job, and events with the same `id` are duplicates. Setting the status ' +
    'that a job already has and importing a job are not changes.',
  schema: JobStatusChanged,
  example: {
    id: '6b9a6f0e-4c0a-4b5e-9d0e-2f6f3c1d8a57',
    occurred_at: '2026-11-03T09:26:53.589Z',
    tenant_id: 'default',
    job_id: '4007',
    from: 'published',
    to: 'closed',
    actor: 'recruiter-9',
    sequence: '4',
  } satisfies JobStatusChanged,
} as const;
