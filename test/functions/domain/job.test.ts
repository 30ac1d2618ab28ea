import { describe, expect, it } from 'vitest';
import {
  type JobStatus,
  jobStatuses,
  originsOf,
  transitionPolicies,
} from '../../../functions/domain/job.ts';

describe('the statuses of a job', () => {
  it('are the five of the specification', () => {
    expect(jobStatuses).toEqual(['published', 'closed', 'archived', 'draft', 'paused']);
  });
});

describe('the policies', () => {
  it.each(Object.entries(transitionPolicies))(
    '%s names for every status those that may follow',
    (_, policy) => {
      expect(Object.keys(policy).toSorted()).toEqual(jobStatuses.toSorted());
    },
  );

  it('any leads from every status to every status', () => {
    for (const status of jobStatuses) {
      expect(originsOf(transitionPolicies.any, status)).toEqual(jobStatuses);
    }
  });

  it.each<[JobStatus, readonly JobStatus[]]>([
    ['draft', ['published', 'archived']],
    ['published', ['paused', 'closed', 'archived']],
    ['paused', ['published', 'closed', 'archived']],
    ['closed', ['published', 'draft', 'archived']],
    ['archived', ['draft', 'closed']],
  ])('lifecycle leads from %s to %j alone', (from, to) => {
    const { lifecycle } = transitionPolicies;
    expect(lifecycle[from]).toEqual(to);
    const led = jobStatuses.filter((status) => originsOf(lifecycle, status).includes(from));
    expect(led.toSorted()).toEqual(to.toSorted());
  });
});
