import { describe, expect, it } from 'vitest';
import { Problem, problemTypes } from '../../../functions/contract/problem.ts';

describe('the problems', () => {
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
