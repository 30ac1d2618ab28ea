import type { FromSchema } from 'json-schema-to-ts';
import { keysOf } from './own-value.ts';

/** Statuses (`docs/spec.md`, section 3.1), and which may follow each under the `lifecycle` policy. */
const lifecycle = {
  published: ['paused', 'closed', 'archived'],
  closed: ['published', 'draft', 'archived'],
  archived: ['draft', 'closed'],
  draft: ['published', 'archived'],
  paused: ['published', 'closed', 'archived'],
} as const;
export type JobStatus = keyof typeof lifecycle;

export const jobStatuses: readonly JobStatus[] = keysOf(lifecycle);

export const JobStatus = {
  type: 'string',
  enum: jobStatuses,
  description: 'Status of the job.',
} as const;

/** Largest version or fence: adding 1 is still exact in JavaScript. */
export const MAX_VERSION = Number.MAX_SAFE_INTEGER - 1;

/** Only the attributes that the service reads. */
export const Job = {
  type: 'object',
  properties: {
    status: JobStatus,
    version: { type: 'integer', minimum: 1, maximum: MAX_VERSION },
    fence: { type: 'integer', maximum: MAX_VERSION },
    last_change_id: { type: 'string' },
  },
  required: ['status', 'version'],
} as const;
export type Job = FromSchema<typeof Job>;

export type TransitionPolicy = (from: JobStatus) => readonly JobStatus[];

/** `any`, the default, follows the specification. */
export const transitionPolicies = {
  any: () => jobStatuses,
  lifecycle: (from) => lifecycle[from],
} as const satisfies Record<string, TransitionPolicy>;

export const statusesBefore = (policy: TransitionPolicy, status: JobStatus): JobStatus[] =>
  jobStatuses.filter((from) => policy(from).includes(status));
