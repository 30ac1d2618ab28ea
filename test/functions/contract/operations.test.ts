import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { JobStatusUpdate } from '../../../functions/contract/update-job-status.ts';
import { Job, JobStatus, jobStatuses } from '../../../functions/domain/job.ts';

const folder = new URL('../../../functions/', import.meta.url);
const entries = readdirSync(folder).filter((name) => name.endsWith('.ts'));

describe('the operations', () => {
  it('are the entry files', () => {
    expect(operationNames.map((name) => `${name}.ts`)).toEqual(entries.toSorted());
  });

  it('have paths of the first version, and names and routes that tell them apart', () => {
    const all = Object.values(operations);
    for (const { path } of all) expect(path).toMatch(/^\/v1\//);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    expect(new Set(all.map(({ method, path }) => `${method} ${path}`)).size).toBe(all.length);
  });
});

describe('the five statuses', () => {
  it('are one list, which the stored job and the body of the update refer to', () => {
    expect(JobStatus.enum).toBe(jobStatuses);
    expect(Job.properties.status).toBe(JobStatus);
    expect(JobStatusUpdate.properties.status).toBe(JobStatus);
  });
});
