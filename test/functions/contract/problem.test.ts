import { describe, expect, it } from 'vitest';
import { Problem, problemTypes } from '../../../functions/contract/problem.ts';

describe('the problems', () => {
  it('are the documented codes with the documented statuses', () => {
    const statuses = Object.fromEntries(
      Object.entries(problemTypes).map(([code, { status }]) => [code, status]),
    );
    expect(statuses).toEqual({
      invalid_path: 400,
      malformed_json: 400,
      invalid_body: 400,
      unauthenticated: 401,
      invalid_token: 401,
      insufficient_scope: 403,
      no_tenant: 403,
      job_not_found: 404,
      application_not_found: 404,
      transition_refused: 409,
      version_mismatch: 412,
      body_too_large: 413,
      unsupported_media_type: 415,
      unavailable: 503,
      internal: 500,
    });
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
