import type { FromSchema } from 'json-schema-to-ts';

/** The statuses of a job (spec section 3.1). Every other list of them comes from this one. */
export const jobStatuses = ['published', 'closed', 'archived', 'draft', 'paused'] as const;

export const JobStatus = {
  type: 'string',
  enum: jobStatuses,
  description: 'Status of the job.',
} as const;
export type JobStatus = FromSchema<typeof JobStatus>;

/** The greatest version and fence of a job: the next one is still exact in JavaScript. */
export const LAST_COUNT = Number.MAX_SAFE_INTEGER - 1;

/** What the service reads of a stored job, whose attributes have these names. */
export const Job = {
  type: 'object',
  properties: {
    status: JobStatus,
    version: { type: 'integer', minimum: 0, maximum: LAST_COUNT },
    fence: { type: 'integer', maximum: LAST_COUNT },
    last_change_id: { type: 'string' },
  },
  required: ['status', 'version'],
} as const;
export type Job = FromSchema<typeof Job>;

/** For each status, the statuses that a job may move to. */
export type TransitionPolicy = Readonly<Record<JobStatus, readonly JobStatus[]>>;

/**
 * The policies a deployment chooses from. `any` is the specification's: the operation sets the
 * status to the value sent. `lifecycle` rejects moves that skip a step.
 */
export const transitionPolicies = {
  any: {
    published: jobStatuses,
    closed: jobStatuses,
    archived: jobStatuses,
    draft: jobStatuses,
    paused: jobStatuses,
  },
  lifecycle: {
    draft: ['published', 'archived'],
    published: ['paused', 'closed', 'archived'],
    paused: ['published', 'closed', 'archived'],
    closed: ['published', 'draft', 'archived'],
    archived: ['draft', 'closed'],
  },
} as const satisfies Record<string, TransitionPolicy>;

/** The statuses from which `policy` lets a job move to `status`. */
export const originsOf = (policy: TransitionPolicy, status: JobStatus): JobStatus[] =>
  jobStatuses.filter((from) => policy[from].includes(status));
