import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { JobStatusUpdated } from '../../../functions/operations/update-job-status/contract.ts';

const folder = new URL('../../../functions/', import.meta.url);
const entries = readdirSync(folder).filter((name) => name.endsWith('.ts'));

describe('the operations', () => {
  it('have an entry file each, and there is no other', () => {
    expect(operationNames.map((name) => `${name}.ts`).toSorted()).toEqual(entries.toSorted());
  });

  it('include those of sections 4.1 and 4.2 of the specification', () => {
    const routes = operationNames.map((name) => {
      const { method, path, scope } = operations[name];
      return [`${method} ${path}`, scope];
    });
    expect(routes).toContainEqual([
      'GET /v1/jobs/{id}/applications/{candidate_id}',
      'applications:read',
    ]);
    expect(routes).toContainEqual(['PATCH /v1/jobs/{id}/status', 'jobs:write']);
  });

  it('promise success of an update, which is never false', () => {
    expect(JobStatusUpdated.properties.success).toMatchObject({ type: 'boolean', const: true });
    expect(JobStatusUpdated.required).toEqual(['success']);
  });
});
