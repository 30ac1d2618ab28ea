import type { FromSchema } from 'json-schema-to-ts';
import { namesOf } from './object.ts';

/**
 * The statuses of a job (`docs/spec.md`, section 3.1). Each status has the list of statuses to which a job may move
 * from this status under the `lifecycle` policy. This policy rejects moves that skip a step, such as from `draft` to
 * `closed`. All lists of statuses are derived from this object.
 */
const lifecycle = {
  published: ['paused', 'closed', 'archived'],
  closed: ['published', 'draft', 'archived'],
  archived: ['draft', 'closed'],
  draft: ['published', 'archived'],
  paused: ['published', 'closed', 'archived'],
} as const;
export type JobStatus = keyof typeof lifecycle;

export const jobStatuses: readonly JobStatus[] = namesOf(lifecycle);

export const JobStatus = {
  type: 'string',
  enum: jobStatuses,
  description: 'Status of the job.',
} as const;

/**
 * The maximum of a stored job's version, and of its fence. The service can add 1 to this number, because JavaScript
 * represents the sum exactly.
 */
export const LAST_COUNT = Number.MAX_SAFE_INTEGER - 1;

/** The schema of a stored job, with only the attributes that the service reads. */
export const Job = {
  type: 'object',
  properties: {
    status: JobStatus,
    version: { type: 'integer', minimum: 1, maximum: LAST_COUNT },
    fence: { type: 'integer', maximum: LAST_COUNT },
    last_change_id: { type: 'string' },
  },
  required: ['status', 'version'],
} as const;
export type Job = FromSchema<typeof Job>;

/** A function that returns the statuses to which a job with the status `from` may move. */
export type TransitionPolicy = (from: JobStatus) => readonly JobStatus[];

/**
 * The transition policies. Each deployment chooses one of them. `any` follows the specification and allows every move.
 */
export const transitionPolicies = {
  any: () => jobStatuses,
  lifecycle: (from) => lifecycle[from],
} as const satisfies Record<string, TransitionPolicy>;

/** Returns the statuses from which `policy` lets a job move to `status`. */
export const originsOf = (policy: TransitionPolicy, status: JobStatus): JobStatus[] =>
  jobStatuses.filter((from) => policy(from).includes(status));
