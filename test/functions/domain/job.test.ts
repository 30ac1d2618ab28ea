import { describe, expect, it } from 'vitest';
import { jobStatuses, originsOf, transitionPolicies } from '../../../functions/domain/job.ts';

describe('the statuses of a job', () => {
  it('are the five of the specification', () => {
    expect(jobStatuses).toEqual(['published', 'closed', 'archived', 'draft', 'paused']);
  });
});

describe('the policies', () => {
  it.each(Object.entries(transitionPolicies))(
    '%s says for every status where it leads',
    (_, policy) => {
      expect(Object.keys(policy).toSorted()).toEqual(jobStatuses.toSorted());
    },
  );

  it('any leads from every status to every status', () => {
    for (const status of jobStatuses) {
      expect(originsOf(transitionPolicies.any, status)).toEqual(jobStatuses);
    }
  });

  it('lifecycle leads along the documented moves and no others', () => {
    expect(transitionPolicies.lifecycle).toEqual({
      draft: ['published', 'archived'],
      published: ['paused', 'closed', 'archived'],
      paused: ['published', 'closed', 'archived'],
      closed: ['published', 'draft', 'archived'],
      archived: ['draft', 'closed'],
    });
  });

  it.each([
    ['published', ['closed', 'draft', 'paused']],
    ['closed', ['published', 'archived', 'paused']],
    ['archived', ['published', 'closed', 'draft', 'paused']],
    ['draft', ['closed', 'archived']],
    ['paused', ['published']],
  ] as const)('lifecycle lets a job become %s from %j', (status, origins) => {
    expect(originsOf(transitionPolicies.lifecycle, status)).toEqual(origins);
  });
});
