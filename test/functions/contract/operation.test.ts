import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../functions/contract/operations.ts';
import type { Answer } from '../../support/invoke.ts';
import {
  applicationItem,
  fullApplication,
  jobItem,
  leastApplication,
} from '../../support/items.ts';
import { holdToContract } from '../../support/promises.ts';
import { useService } from '../../support/service.ts';

const answer = (status: number, body: Record<string, unknown>): Answer => ({
  status,
  headers: {},
  body,
  text: JSON.stringify(body),
});

/** Every answer that any test gets of the functions passes through `holdToContract`. */
describe('a contract', () => {
  const service = useService();
  const read = operations['get-application'];
  const update = operations['update-job-status'];

  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    await service.table.put(applicationItem({ candidate: 'c-2' }, leastApplication));
    await service.table.put(jobItem({}));
  });

  it('is kept by the answer with a full application', async () => {
    const got = await service.getApplication();
    expect(got.status).toBe(200);
    expect(holdToContract(read, got)).toBe(got);
  });

  it('is kept by the answer with an application of which little is known', async () => {
    const pathParameters = { id: 'j-1', candidate_id: 'c-2' };
    const got = await service.getApplication({ pathParameters });
    expect(got.status).toBe(200);
    expect(holdToContract(read, got)).toBe(got);
  });

  it('is kept by the answer to an update', async () => {
    const got = await service.updateJobStatus();
    expect(got.status).toBe(200);
    expect(holdToContract(update, got)).toBe(got);
  });

  it.each([
    ['a member too many', { ...fullApplication, id: 'c-1' }],
    ['a member too few', leastApplication],
    ['a member of another type', { ...fullApplication, score: '8.5' }],
  ])('is broken by an application with %s', (_, body) => {
    expect(() => holdToContract(read, answer(200, body))).toThrow('another answer');
  });

  it('is broken by an update that does not succeed', () => {
    expect(() => holdToContract(update, answer(200, { success: false }))).toThrow('another answer');
  });

  it('is broken by a problem that it does not list', () => {
    expect(() => holdToContract(read, answer(404, { code: 'job_not_found' }))).toThrow(
      'does not list the problem job_not_found',
    );
  });
});
