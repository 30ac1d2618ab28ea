import type { FromSchema } from 'json-schema-to-ts';
import { MAX_IDENTIFIER_BYTES } from '../domain/identifier.ts';
import { JobStatus } from '../domain/job.ts';
import { objectSchema } from '../domain/json-schema.ts';

/**
 * Plain JSON Schema, because consumers' validators do not know our format `identifier`. `maxLength` counts characters,
 * and a text never has more characters than bytes, so every valid identifier passes.
 */
const id = { type: 'string', minLength: 1, maxLength: MAX_IDENTIFIER_BYTES } as const;

/** Releases may add members, but never change or remove one. */
export const JobStatusChanged = {
  description: 'A status change of a job.',
  ...objectSchema({
    id: {
      type: 'string',
      minLength: 1,
      description: 'Identifier of the status change: the same if its event is delivered again.',
    },
    occurred_at: {
      type: 'string',
      format: 'date-time',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
      description:
        'Time of the status change, in ISO 8601, UTC, with milliseconds and a trailing Z.',
    },
    tenant_id: { ...id, description: 'Identifier of the tenant that owns the job.' },
    job_id: { ...id, description: 'Identifier of the job.' },
    from: { ...JobStatus, description: 'Previous status of the job.' },
    to: { ...JobStatus, description: 'New status of the job.' },
    actor: {
      ...id,
      description:
        'Who changed the status: the `sub` of the access token or, without `sub`, its client. If it has ' +
        'characters other than ASCII letters, digits and `_ . : | ~ -`, `sha256:` and the first 16 ' +
        'hexadecimal digits of its SHA-256 hash take its place.',
    },
    sequence: {
      type: 'string',
      pattern: '^[1-9]\\d*$',
      description:
        "The job's new version in decimal digits. Compare it as a number: it is a string only because " +
        'EventBridge Pipes makes strings of DynamoDB numbers.',
    },
  }),
} as const;
export type JobStatusChanged = FromSchema<typeof JobStatusChanged>;

export const jobStatusChanged = {
  source: 'recruitment',
  /** EventBridge's `detail-type`. */
  type: 'job.status_changed',
  summary: 'Job status changed',
  description:
    'Sent at least once after each status change, in any order: events with the same `id` are ' +
    'duplicates, and `sequence` orders the changes of a job. Imports, and requests for the status ' +
    'that a job already has, send no event.',
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
