import type { FromSchema } from 'json-schema-to-ts';
import { namesOf } from './record.ts';

/**
 * The statuses of a job (spec section 3.1), each with those that it may move to by the policy `lifecycle`,
 * which rejects moves that skip a step. Every other list of the statuses comes from this one.
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

/** The greatest version and fence of a job: the next one is still exact in JavaScript. */
export const LAST_COUNT = Number.MAX_SAFE_INTEGER - 1;

/** What the service reads of a stored job, whose attributes have these names. */
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

/** The statuses that a job of a status may move to. */
export type TransitionPolicy = (from: JobStatus) => readonly JobStatus[];

/** The policies a deployment chooses from. By `any`, the specification's, every move is allowed. */
export const transitionPolicies = {
  any: () => jobStatuses,
  lifecycle: (from) => lifecycle[from],
} as const satisfies Record<string, TransitionPolicy>;

/** The statuses from which `policy` lets a job move to `status`. */
export const originsOf = (policy: TransitionPolicy, status: JobStatus): JobStatus[] =>
  jobStatuses.filter((from) => policy(from).includes(status));
