import { describe, expect, it } from 'vitest';
import { operations } from '../../../../functions/operations/operations.ts';
import { checkResponse } from '../../../../infra/operator/smoke/check-response.ts';
import type { Result } from '../../../support/invoke.ts';
import { applicationItem, jobItem, leastApplication } from '../../../support/items.ts';
import { startService } from '../../../support/service.ts';

const read = operations['get-application'];
const update = operations['update-job-status'];
const [education] = read.response.example.education;

describe('the check of a response', async () => {
  const service = await startService();
  await service.table.put(applicationItem({}));
  await service.table.put(applicationItem({ candidate: 'c-2' }, leastApplication));
  await service.table.put(jobItem({}));
  const application = await service.getApplication();
  const updated = await service.updateJobStatus();
  const none = { id: 'j-1', candidate_id: 'none' };
  const problem = await service.getApplication({ pathParameters: none });

  it('finds nothing wrong with what the service sends', async () => {
    const pathParameters = { id: 'j-1', candidate_id: 'c-2' };
    const sparse = await service.getApplication({ pathParameters });
    expect([application.status, sparse.status, updated.status]).toEqual([200, 200, 200]);
    expect(problem.status).toBe(404);
    for (const response of [application, sparse, problem]) {
      expect(checkResponse(read, response)).toEqual([]);
    }
    expect(checkResponse(update, updated)).toEqual([]);
  });

  const withBody = (response: Result, members: object) => ({
    ...response,
    body: { ...response.body, ...members },
  });
  const withHeader = (response: Result, name: string, value?: string) => ({
    ...response,
    headers: { ...response.headers, [name]: value },
  });

  it.each([
    ['a member too many', () => withBody(application, { id: 'c-1' }), /additional properties/],
    ['a member too few', () => withBody(application, { name: undefined }), /property 'name'/],
    ['a member of another type', () => withBody(application, { score: '8.5' }), /body\/score/],
    [
      'a nested member too many',
      () => withBody(application, { education: [{ ...education, grade: 'A' }] }),
      /\/body\/education\/0 must NOT have additional/,
    ],
    [
      'a status that is not documented',
      () => ({ ...application, status: 418 }),
      /^418 \(no code\)/,
    ],
    [
      'a problem of another operation',
      () => withBody(problem, { code: 'job_not_found' }),
      /^404 \(job_not_found\) is not documented/,
    ],
    [
      'a problem with another status',
      () => ({ ...problem, status: 409 }),
      /^409 .* not documented/,
    ],
    ['a problem without a member', () => withBody(problem, { title: undefined }), /'title'/],
    ['the id of another request', () => withBody(problem, { request_id: 'x' }), /request_id/],
    [
      'another media type',
      () => withHeader(problem, 'Content-Type', 'text/plain'),
      /\/headers\/content-type/,
    ],
    ['no X-Request-Id', () => withHeader(application, 'X-Request-Id'), /'x-request-id'/],
    ['another caching', () => withHeader(application, 'Cache-Control', 'public'), /cache-control/],
    ['a body that is not JSON', () => ({ ...application, body: undefined }), /'body'/],
  ])('finds %s, without a value of the body', (_, spoiled, message) => {
    const found = checkResponse(read, spoiled());
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
    expect(found[0]).not.toMatch(/c-1|8\.5/);
  });

  it('finds an update that did not succeed, or has no ETag', () => {
    expect(checkResponse(update, withBody(updated, { success: false }))).toHaveLength(1);
    expect(checkResponse(update, withHeader(updated, 'ETag'))).toHaveLength(1);
  });
});
