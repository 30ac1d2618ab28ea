import { describe, expect, it } from 'vitest';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { type Service, useService } from '../../support/service.ts';

/** The moves of the `lifecycle` policy as the service's documentation has them. */
const lifecycle: Readonly<Record<string, readonly string[]>> = {
  draft: ['published', 'archived'],
  published: ['paused', 'closed', 'archived'],
  paused: ['published', 'closed', 'archived'],
  closed: ['published', 'draft', 'archived'],
  archived: ['draft', 'closed'],
};

const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => ({ from, to })));
const changes = pairs.filter(({ from, to }) => from !== to);
const allowed = changes.filter(({ from, to }) => lifecycle[from]?.includes(to));
const refused = changes.filter(({ from, to }) => !lifecycle[from]?.includes(to));

async function move(service: Service, from: string, to: string, headers = {}) {
  await service.table.put(jobItem({}, { status: from }));
  const answer = await service.updateJobStatus({ body: { status: to }, headers });
  return { answer, job: await service.table.read(jobKey('default', 'j-1')) };
}

describe('the policy "any"', () => {
  const service = useService();

  it.each(changes)('lets a job that is $from become $to', async ({ from, to }) => {
    const { answer, job } = await move(service, from, to);
    expect(answer.status).toBe(200);
    expect(answer.headers.ETag).toBe('"2"');
    expect(job).toMatchObject({ status: to, previous_status: from, version: 2 });
  });

  it.each(jobStatuses)('leaves a job that is %s so', async (status) => {
    const { answer, job } = await move(service, status, status);
    expect(answer.status).toBe(200);
    expect(job).toEqual(jobItem({}, { status }));
  });
});

describe('the policy "lifecycle"', () => {
  const service = useService({ TRANSITION_POLICY: 'lifecycle' });

  it('was asked about all 25 pairs', () => {
    expect(pairs).toHaveLength(25);
    expect([allowed.length, refused.length]).toEqual([13, 7]);
  });

  it.each(allowed)('lets a job that is $from become $to', async ({ from, to }) => {
    const { answer, job } = await move(service, from, to);
    expect(answer.status).toBe(200);
    expect(answer.headers.ETag).toBe('"2"');
    expect(job).toMatchObject({ status: to, previous_status: from, version: 2 });
  });

  it.each(refused)(
    'refuses that a job that is $from becomes $to, and says what it may become',
    async ({ from, to }) => {
      const { answer, job } = await move(service, from, to);
      expect(answer.status).toBe(409);
      expect(answer.headers).not.toHaveProperty('ETag');
      expect(answer.body).toEqual(
        problemBody('transition_refused', {
          current_status: from,
          allowed_transitions: lifecycle[from],
        }),
      );
      expect(job).toEqual(jobItem({}, { status: from }));
    },
  );

  it.each(jobStatuses)('leaves a job that is %s so', async (status) => {
    const { answer, job } = await move(service, status, status);
    expect(answer.status).toBe(200);
    expect(job).toEqual(jobItem({}, { status }));
  });

  it('is asked after If-Match', async () => {
    const stale = await move(service, 'draft', 'closed', { 'if-match': '"9"' });
    expect(stale.answer.status).toBe(412);
    const current = await move(service, 'draft', 'closed', { 'if-match': '"1"' });
    expect(current.answer.status).toBe(409);
  });

  it('lets an allowed move pass with If-Match', async () => {
    const { answer } = await move(service, 'draft', 'published', { 'if-match': '"1", "4"' });
    expect(answer.status).toBe(200);
  });
});
