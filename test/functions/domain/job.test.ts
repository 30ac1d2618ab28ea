import { expect, it } from 'vitest';
import {
  type JobStatus,
  jobStatuses,
  statusesBefore,
  transitionPolicies,
} from '../../../functions/domain/job.ts';

/** `[status, statuses that may follow under the lifecycle policy]`, in the specification's order. */
const moves: [JobStatus, readonly JobStatus[]][] = [
  ['published', ['paused', 'closed', 'archived']],
  ['closed', ['published', 'draft', 'archived']],
  ['archived', ['draft', 'closed']],
  ['draft', ['published', 'archived']],
  ['paused', ['published', 'closed', 'archived']],
];

it('has the statuses of the specification, in its order', () => {
  expect(jobStatuses.slice(0, moves.length)).toEqual(moves.map(([status]) => status));
});

it.each(jobStatuses)('lets a job move to %s from every status under the any policy', (status) => {
  expect(statusesBefore(transitionPolicies.any, status)).toEqual(jobStatuses);
});

it.each(moves)('lets a job move from %s only to %j under the lifecycle policy', (from, to) => {
  const { lifecycle } = transitionPolicies;
  expect(lifecycle(from)).toEqual(to);
  const allowed = jobStatuses.filter((status) => statusesBefore(lifecycle, status).includes(from));
  expect(allowed.toSorted()).toEqual(to.toSorted());
});
