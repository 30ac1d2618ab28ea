import { describe, expect, it } from 'vitest';
import * as validators from '#validators';
import {
  isGetApplicationPath as isApplicationPath,
  isJob,
  isUpdateJobStatusPath as isJobPath,
} from '#validators';
import { validatedSchemas } from '../../../functions/contract/validated-schemas.ts';

const LONGEST = 'é'.repeat(128);

describe('the compiled validators', () => {
  it('are built for every schema', () => {
    expect(Object.keys(validators).toSorted()).toEqual(Object.keys(validatedSchemas).toSorted());
  });

  it('hold identifiers in paths to bytes', () => {
    const application = (id: unknown, candidate: unknown) =>
      isApplicationPath({ pathParameters: { id, candidate_id: candidate } });
    expect(application('j', LONGEST)).toBe(true);
    expect(application(LONGEST, 'c')).toBe(true);
    expect(application('j', `${LONGEST}a`)).toBe(false);
    expect(application('', 'c')).toBe(false);
    expect(application('j', undefined)).toBe(false);
    expect(isJobPath({ pathParameters: { id: LONGEST } })).toBe(true);
    expect(isJobPath({ pathParameters: { id: `${LONGEST}a` } })).toBe(false);
    expect(isJobPath({})).toBe(false);
  });

  it.each([
    ['without a version', { status: 'draft' }],
    ['whose version is a string', { status: 'draft', version: '1' }],
    ['whose version is a fraction', { status: 'draft', version: 1.5 }],
    ['whose version is negative', { status: 'draft', version: -1 }],
    ['whose status is unknown', { status: 'open', version: 1 }],
  ])('reject a stored job %s', (_, job) => {
    expect(isJob(job)).toBe(false);
  });

  it('accept a stored job with attributes that the service does not know', () => {
    expect(isJob({ status: 'draft', version: 0, title: 'Data Engineer' })).toBe(true);
  });
});
