import { describe, expect, it } from 'vitest';
import { Problem, problemTypes } from '../../../functions/contract/problem.ts';

/** Every detail that a problem may have, with words in place of what it names. */
const details = Object.values(problemTypes).flatMap(({ detail }): string[] => {
  if (typeof detail === 'string') return [detail];
  if (typeof detail === 'function') return [detail('draft', 'closed')];
  return Object.values(detail);
});

describe('the problems', () => {
  it.each(details)('have a detail of whole sentences, as %j', (detail) => {
    expect(detail).toMatch(/^[A-Z].{10,}\.$/);
    expect(details.filter((other) => other === detail)).toEqual([detail]);
  });

  it('have titles that tell them apart', () => {
    const titles = Object.values(problemTypes).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('a problem', () => {
  it('is an error whose message is its detail', () => {
    const problem = new Problem('job_not_found');
    expect(problem).toBeInstanceOf(Error);
    expect(problem.name).toBe('Problem');
    expect(problem.message).toBe(problemTypes.job_not_found.detail);
    expect(problem.code).toBe('job_not_found');
    expect(problem.cause).toBeUndefined();
  });

  it('keeps the error behind it as its cause', () => {
    const cause = new Error('socket hang up');
    expect(new Problem('internal', { cause }).cause).toBe(cause);
  });
});
