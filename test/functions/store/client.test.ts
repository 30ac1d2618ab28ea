import { beforeAll, describe, expect, it } from 'vitest';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { inTime } from '../../support/in-time.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { useProxiedService } from '../../support/service.ts';

const unavailable = problemBody('unavailable');
const internal = problemBody('internal');

const broken: [string, Fault][] = [
  ['fails', dynamoError(500, 'InternalServerError')],
  ['is down', { status: 503, body: '<html>Service Unavailable</html>' }],
  ['is behind a gateway that times out', { status: 504, body: '' }],
  ['responds with 501, which the SDK does not retry', { status: 501, body: '{}' }],
  ['drops the connection', 'reset'],
  ['drops the connection within its response', 'cut off'],
  ['sends half a response', 'truncated'],
  ['sends something other than HTTP', 'no http'],
  ['sends something other than JSON', { status: 200, body: '<html>' }],
  ['rejects without a reason', { status: 400, body: '{}' }],
  ['rejects with something other than JSON', { status: 400, body: '<html>' }],
];

/** By the job whose requests meet them. Between attempts the SDK waits up to two seconds. */
const slow: Record<string, Fault> = {
  'throttled-table': dynamoError(400, 'ProvisionedThroughputExceededException'),
  'throttled-account': dynamoError(400, 'ThrottlingException'),
  'limited-rate': dynamoError(400, 'RequestLimitExceeded'),
  'too-many-requests': { status: 429, body: '{}' },
  silent: 'hang',
  'promises-only': 'processing',
  'stops-in-mid-answer': 'stalled',
};

const passing: Record<string, Fault[]> = {
  'throttled-once': [dynamoError(400, 'ThrottlingException'), 'none'],
  'failed-twice': [
    dynamoError(500, 'InternalServerError'),
    dynamoError(500, 'InternalServerError'),
    'none',
  ],
  'reset-twice': ['reset', 'reset', 'none'],
  'late-once': ['hang', 'none'],
};

describe('if the database', () => {
  const service = useProxiedService();
  beforeAll(async () => {
    for (const job of ['j-1', ...Object.keys(passing)]) {
      await service.table.put(applicationItem({ job }));
      await service.table.put(jobItem({ job }));
    }
  });

  const both = (job: string) =>
    Promise.all([
      service.getApplication({ pathParameters: { id: job, candidate_id: 'c-1' } }),
      service.updateJobStatus({ pathParameters: { id: job } }),
    ]);

  it('throttles or does not respond, the functions say so in time after three attempts', async () => {
    const took: Record<string, number> = {};
    const answers = await Promise.all(
      Object.entries(slow).map(async ([job, fault]) => {
        service.proxy.faultsFor.set(job, [fault]);
        const startedAt = performance.now();
        const answered = await inTime(() => both(job), job);
        took[job] = performance.now() - startedAt;
        return [job, answered] as const;
      }),
    );
    const answer = { status: 503, body: unavailable, headers: { 'Retry-After': '1' } };
    expect(Object.fromEntries(answers)).toMatchObject(
      Object.fromEntries(Object.keys(slow).map((job) => [job, [answer, answer]])),
    );
    const attempts = Object.keys(slow).map((job) => service.proxy.requestsFor(job).length);
    expect(attempts).toEqual(attempts.map(() => 6));
    // Each attempt is cancelled after a second.
    expect(took.silent).toBeGreaterThan(2950);
    const silent = service.proxy.requestsFor('silent');
    await expect.poll(() => silent.every(({ abandoned }) => abandoned)).toBe(true);
  });

  it('recovers by the third attempt, the functions succeed', async () => {
    for (const [job, faults] of Object.entries(passing)) {
      service.proxy.faultsFor.set(job, faults);
      const { status } = await service.getApplication({
        pathParameters: { id: job, candidate_id: 'c-1' },
      });
      expect([job, status]).toEqual([job, 200]);
    }
  });

  it.each(broken)('%s, the functions say so in time, with Retry-After', async (_, fault) => {
    service.proxy.expect(fault);
    const answers = await both('j-1');
    for (const { status, headers, body } of answers) {
      expect(status).toBe(503);
      expect(headers['Retry-After']).toBe('1');
      expect(headers['Content-Type']).toBe('application/problem+json');
      const { outcome_unknown: _, ...members } = body;
      expect(members).toEqual(unavailable);
    }
    expect(service.log.lines).toMatchObject([
      { level: 'WARN', outcome: 'unavailable', failure: { cause: { name: expect.any(String) } } },
      { level: 'WARN', outcome: 'unavailable' },
    ]);
    expect(service.log.text).not.toMatch(/Invented\.|<html>|ana@example/);
  });

  it('responds with an empty object, the functions do not take it for a result', async () => {
    service.proxy.expect({ status: 200, body: '{}' });
    const [read, update] = await both('j-1');
    expect(read).toMatchObject({ status: 503, body: unavailable });
    expect(update).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });

  it.each([
    ['denies access to the functions', 'AccessDeniedException'],
    ['has no such table', 'ResourceNotFoundException'],
    ['does not understand the request', 'ValidationException'],
    ['does not know the credentials', 'UnrecognizedClientException'],
  ])('%s, the functions answer 500 without a retry', async (_, name) => {
    service.proxy.expect(dynamoError(400, name));
    for (const call of [service.getApplication, service.updateJobStatus]) {
      const { status, headers, body } = await call();
      expect(status).toBe(500);
      expect(headers).not.toHaveProperty('Retry-After');
      expect(body).toEqual(internal);
    }
    expect(service.proxy.requests).toHaveLength(2);
    expect(service.log.lines).toMatchObject([
      { level: 'ERROR', outcome: 'internal', failure: { cause: { name } } },
      { level: 'ERROR', outcome: 'internal', failure: { cause: { name } } },
    ]);
    expect(service.log.text).not.toContain('Invented.');
  });
});
