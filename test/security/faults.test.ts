import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobKey } from '../../functions/store/keys.ts';
import { dynamoError, type Fault } from '../support/faults.ts';
import type { Result } from '../support/invoke.ts';
import { nowInSeconds } from '../support/issuer.ts';
import { applicationItem, fullApplication, jobItem } from '../support/items.ts';
import { startProxiedService } from '../support/service.ts';
import { controlledTimes, LAMBDA_MS, LEFT_MS } from '../support/time.ts';
import { scaled, seed } from './random-cases.ts';

const ON_TIME = 'responds late';

/** `isDone`: the database applies the request. */
const faults: Record<string, [Fault, isDone: boolean]> = {
  [ON_TIME]: [{ respondsAfter: () => setTimeout(300) }, true],
  'responds after the timeout': ['too late', true],
  'loses the response': ['response lost', true],
  'loses the request for a while': [{ lateAfter: () => Promise.resolve() }, true],
  'breaks the connection': ['reset', false],
  'is silent': ['hang', false],
  'responds drop by drop': ['dripping', true],
  'sends half of the text': ['truncated', true],
  'breaks the connection in its response': ['cut off', true],
  'does not speak HTTP': ['no http', false],
  'responds with a web page': [{ status: 200, body: '<html>Invented.</html>' }, false],
  'does its work and sends nothing': [{ doneBut: { status: 200, body: '' } }, true],
  'does its work and refuses without a word': [{ doneBut: { status: 400, body: '' } }, true],
  'refuses without a word': [{ status: 400, body: '{}' }, false],
  fails: [dynamoError(500, 'InternalServerError'), false],
  'does its work behind a gateway that gives up': [{ doneBut: { status: 504, body: '' } }, true],
  // Despite the error's name, DynamoDB did not refuse this: it refuses with 400.
  'does its work behind a gateway that forbids it by name': [
    { doneBut: dynamoError(403, 'ForbiddenException') },
    true,
  ],
  'throttles the account': [dynamoError(400, 'ThrottlingException'), false],
};

/** No retry follows these faults: the SDK takes an empty 200 for a success. */
const isFinal = new Set(['does its work and sends nothing']);

const ATTEMPTS = 3;

interface Expected {
  status: 200 | 503;
  attempts: number;
  isDone: boolean;
}

/** `schedule` has a fault for each attempt; any further attempts succeed. */
function expectedOf(schedule: readonly string[]): Expected {
  let isDone = false;
  for (let attempts = 1; attempts <= ATTEMPTS; attempts += 1) {
    const name = schedule[attempts - 1];
    isDone ||= name === undefined || faults[name]?.[1] === true;
    if (name === undefined || name === ON_TIME) return { status: 200, attempts, isDone };
    if (isFinal.has(name)) return { status: 503, attempts, isDone };
  }
  return { status: 503, attempts: ATTEMPTS, isDone };
}

const names = Object.keys(faults);

describe('a database with every kind of fault', async () => {
  const times = controlledTimes();
  const service = await startProxiedService({}, times.options);
  service.proxy.onEndless = times.onEndless;
  const token = await service.issuer.mint({ exp: nowInSeconds() + 86_400 });

  async function under(
    schedule: readonly string[],
    job: string,
    call: 'getApplication' | 'updateJobStatus',
  ): Promise<Result> {
    service.proxy.faultsFor.set(job, [
      ...schedule.map((name) => faults[name]?.[0] ?? 'none'),
      'none',
    ]);
    const pathParameters = { id: job, ...(call === 'getApplication' && { candidate_id: 'c-1' }) };
    const request = { token, pathParameters };
    const [response, elapsedMs] = await times.run(job, () => service[call](request));
    // Some attempts reach the database only after the function has given up.
    await service.proxy.settled(job);
    service.proxy.faultsFor.delete(job);
    const { status, attempts } = expectedOf(schedule);
    const made = service.proxy.requestsFor(`#JOB#${job}`).length;
    expect([response.status, made], `${schedule}`).toEqual([status, attempts]);
    expect(elapsedMs, `${schedule}`).toBeLessThanOrEqual(LAMBDA_MS - LEFT_MS);
    if (status === 503) {
      expect(response, `${schedule}`).toMatchObject({
        headers: { 'Retry-After': '1' },
        body: { code: 'unavailable' },
      });
    }
    return response;
  }

  async function read(schedule: readonly string[], job: string): Promise<void> {
    await service.table.put(applicationItem({ job }));
    const response = await under(schedule, job, 'getApplication');
    if (response.status === 200) expect(response.body).toEqual(fullApplication);
  }

  async function change(schedule: readonly string[], job: string): Promise<void> {
    await service.table.put(jobItem({ job }));
    const response = await under(schedule, job, 'updateJobStatus');
    const { isDone } = expectedOf(schedule);
    const stored = () => service.table.read(jobKey('default', job));
    const after = isDone ? { status: 'published', version: 2 } : { status: 'draft', version: 1 };
    expect(await stored(), `${schedule}`).toMatchObject(after);
    if (response.status === 200) {
      expect(response.headers.ETag).toBe('"2"');
      return;
    }
    // "Nothing was changed." would be wrong for an update that was applied.
    if (isDone) expect(response.body.outcome_unknown, `${schedule}`).toBe(true);
    // After 503, a client retries; in the end the job has changed once.
    const request = { token, pathParameters: { id: job } };
    const [again] = await times.run(job, () => service.updateJobStatus(request));
    expect(again).toMatchObject({ status: 200, headers: { ETag: '"2"' } });
    expect(await stored()).toMatchObject({ status: 'published', version: 2 });
  }

  describe.each(['getApplication', 'updateJobStatus'] as const)('as %s sees it', (operation) => {
    const act = operation === 'getApplication' ? read : change;

    it.concurrent.each(names)('%s, once and always', async (name) => {
      const id = `${operation}-${names.indexOf(name)}`;
      await act([name], `${id}-once.`);
      await act([name, name, name, name], `${id}-always.`);
    });

    it('by schedules of faults', async () => {
      const some = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 });
      const schedules = fc.sample(some, { numRuns: scaled(100), seed: seed() });
      await Promise.all(
        schedules.map((schedule, at) => act(schedule, `${operation}-schedule-${at}.`)),
      );
    });
  });
});
