import { beforeAll, describe, expect, it } from 'vitest';
import { getApplication } from '../../../functions/operations/get-application/contract.ts';
import { problemBody } from '../../support/contract.ts';
import { applicationItem, fullApplication, leastApplication } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

const FIELDS = Object.keys(getApplication.response.schema.properties);

describe('the read of an application', async () => {
  const service = await startProxiedService();
  beforeAll(() => service.table.put(applicationItem({})));

  const read = (job: string, candidate: string) =>
    service.getApplication({ pathParameters: { id: job, candidate_id: candidate } });

  it('responds with the 19 fields of the specification, in its order', async () => {
    service.proxy.expect('none');
    const { status, headers, body, text } = await read('j-1', 'c-1');
    expect(status).toBe(200);
    expect(headers['Content-Type']).toBe('application/json');
    expect(FIELDS).toHaveLength(19);
    expect(Object.keys(body)).toEqual(FIELDS);
    expect(text).toBe(JSON.stringify(fullApplication));
    // An eventually consistent read costs half as much.
    expect(service.proxy.requests).toMatchObject([{ operation: 'GetItem' }]);
    expect(service.proxy.requests[0]?.input).not.toHaveProperty('ConsistentRead');
  });

  it('responds with null or an empty list for what is not stored', async () => {
    await service.table.put(
      applicationItem({ candidate: 'least' }, { ...leastApplication, user_id: 'least' }),
    );
    const { status, body } = await read('j-1', 'least');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(FIELDS);
    expect(body).toEqual({
      ...leastApplication,
      user_id: 'least',
      phone: null,
      linked_in: null,
      city: null,
      region: null,
      country: null,
      summary: null,
      position: null,
      education: [],
      experience: [],
      score: null,
      resume_url: null,
      video_url: null,
      evaluations: [],
    });
  });

  it.each([
    ['the job is unknown', 'j-2', 'c-1'],
    ['the candidate is unknown', 'j-1', 'c-2'],
  ])('gets 404 if %s', async (_, job, candidate) => {
    const { status, body } = await read(job, candidate);
    expect(status).toBe(404);
    expect(body).toEqual(problemBody('application_not_found'));
  });
});
