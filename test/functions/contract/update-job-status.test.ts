import { describe, expect, it } from 'vitest';
import isJobStatusUpdate from '#validators/update-job-status-body';
import {
  JobStatusUpdated,
  updateJobStatus,
} from '../../../functions/contract/update-job-status.ts';

describe('the contract of the status update', () => {
  it('is the operation of section 4.2 of the specification', () => {
    expect(`${updateJobStatus.method} ${updateJobStatus.path}`).toBe('PATCH /v1/jobs/{id}/status');
    expect(updateJobStatus.scope).toBe('jobs:write');
  });

  it('requires the parameter that the path names', () => {
    expect(Object.keys(updateJobStatus.parameters.properties)).toEqual(['id']);
    expect(updateJobStatus.parameters.required).toEqual(['id']);
  });

  it('takes a status alone', () => {
    const { properties, required, additionalProperties } = updateJobStatus.body.schema;
    expect(Object.keys(properties)).toEqual(['status']);
    expect(required).toEqual(['status']);
    expect(additionalProperties).toBe(false);
  });

  it('promises success, which is never false', () => {
    expect(JobStatusUpdated.properties.success).toMatchObject({ type: 'boolean', const: true });
    expect(JobStatusUpdated.required).toEqual(['success']);
  });

  it('has an example that it would accept', () => {
    expect(isJobStatusUpdate({ body: updateJobStatus.body.example })).toBe(true);
    expect(updateJobStatus.response.example).toEqual({ success: true });
  });
});
