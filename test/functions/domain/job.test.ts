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

  it.each(jobStatuses)(
    'lifecycle lets a job become %s from each status that leads to it',
    (status) => {
      const { lifecycle } = transitionPolicies;
      const leads = (from: JobStatus) => (lifecycle[from] as readonly JobStatus[]).includes(status);
      expect(originsOf(lifecycle, status)).toEqual(jobStatuses.filter(leads));
    },
  );
});
