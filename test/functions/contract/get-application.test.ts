import { describe, expect, it } from 'vitest';
import isApplication from '#validators/application';
import { getApplication } from '../../../functions/contract/get-application.ts';

describe('the contract of the read', () => {
  it('is the operation of section 4.1 of the specification', () => {
    expect(`${getApplication.method} ${getApplication.path}`).toBe(
      'GET /v1/jobs/{id}/applications/{candidate_id}',
    );
    expect(getApplication.scope).toBe('applications:read');
  });

  it('requires the parameters that the path names', () => {
    const named = [...getApplication.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(getApplication.parameters.properties));
    expect(named).toEqual([...getApplication.parameters.required]);
  });

  it('promises the 19 fields of section 2.2 in their order', () => {
    expect(Object.keys(getApplication.response.schema.properties)).toEqual([
      'user_id',
      'name',
      'email',
      'phone',
      'linked_in',
      'city',
      'region',
      'country',
      'summary',
      'position',
      'education',
      'experience',
      'stage_id',
      'stage_title',
      'score',
      'created_at',
      'resume_url',
      'video_url',
      'evaluations',
    ]);
  });

  it('has an example that it would accept', () => {
    expect(isApplication(getApplication.response.example)).toBe(true);
  });
});
