import { describe, expect, it } from 'vitest';
import {
  internal,
  jobNotFound,
  Problem,
  problemTypes,
} from '../../../functions/contract/problem.ts';

it('tells its problems apart by their titles', () => {
  const titles = Object.values(problemTypes).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

describe('a problem', () => {
  it('is an error whose message is its detail', () => {
    const problem = jobNotFound();
    expect(problem).toBeInstanceOf(Problem);
    expect(problem.name).toBe('Problem');
    expect(problem.message).toBe(problem.detail);
    expect(problem.cause).toBeUndefined();
  });

  it('has another message for the log, and the error behind it, if it is internal', () => {
    const cause = new Error('socket hang up');
    const problem = internal('A failure.', cause);
    expect(problem).toMatchObject({ message: 'A failure.', cause });
    expect(problem.detail).not.toContain('A failure.');
  });
});
