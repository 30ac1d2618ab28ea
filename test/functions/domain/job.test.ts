import { expect, it } from 'vitest';
import {
  type JobStatus,
  jobStatuses,
  originsOf,
  transitionPolicies,
} from '../../../functions/domain/job.ts';

/** Those of the specification, each with those that may follow by the policy `lifecycle`. */
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

it.each(jobStatuses)('lets a job become %s from every status by the policy any', (status) => {
  expect(originsOf(transitionPolicies.any, status)).toEqual(jobStatuses);
});

it.each(moves)('lets a job move from %s to %j alone by the policy lifecycle', (from, to) => {
  const { lifecycle } = transitionPolicies;
  expect(lifecycle(from)).toEqual(to);
  const allowed = jobStatuses.filter((status) => originsOf(lifecycle, status).includes(from));
  expect(allowed.toSorted()).toEqual(to.toSorted());
});
