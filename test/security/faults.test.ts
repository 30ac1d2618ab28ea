import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobKey } from '../../functions/store/keys.ts';
import { inTime, LAMBDA_MS } from '../support/in-time.ts';
import type { Answer } from '../support/invoke.ts';
import { nowInSeconds } from '../support/issuer.ts';
import { applicationItem, fullApplication, jobItem } from '../support/items.ts';
import { useProxiedService } from '../support/service.ts';
import { faultNamed, faults, isFinal } from './faults/every-fault.ts';
import { printCounts, randomNumbers, scaled, seed } from './random-cases.ts';

const SCHEDULES = scaled(200);
const AT_ONCE = 20;

const names = Object.keys(faults);

const rejections: unknown[] = [];
const keepRejection = (reason: unknown) => rejections.push(reason);
beforeAll(() => {
  process.on('unhandledRejection', keepRejection);
});
afterAll(() => {
  process.off('unhandledRejection', keepRejection);
});

describe('a database that fails in every way', () => {
  const service = useProxiedService();
  const counts = { requests: 0, answered: 0, unavailable: 0, 'retried by the client': 0 };
  let token: string;
  beforeAll(async () => {
    token = await service.issuer.mint({ exp: nowInSeconds() + 86_400 });
    // The issuer's keys are fetched before the machine is busy.
    await service.getApplication();
    await service.updateJobStatus();
  });
  afterAll(() => printCounts('faults', counts));

  /** The answer, in time, 200 or 503 with `Retry-After`, to a request whose attempts meet faults. */
  async function under(
    schedule: readonly string[],
    job: string,
    call: 'getApplication' | 'updateJobStatus',
  ): Promise<Answer> {
    service.proxy.faultsFor.set(job, [...schedule.map((name) => faultNamed(name)), 'none']);
    const pathParameters = { id: job, ...(call === 'getApplication' && { candidate_id: 'c-1' }) };
    const request = { token, pathParameters, remainingMs: LAMBDA_MS };
    const answer = await inTime(() => service[call](request), `${schedule}`);
    // Its schedule is also for the attempts that arrive after they have been given up.
    await service.proxy.settled(job);
    service.proxy.faultsFor.delete(job);
    counts.requests += 1;
    counts[answer.status === 200 ? 'answered' : 'unavailable'] += 1;
    if (answer.status !== 200) {
      expect(answer, `${schedule}`).toMatchObject({
        status: 503,
        headers: { 'Retry-After': '1' },
        body: { code: 'unavailable' },
      });
    }
    return answer;
  }

  async function read(schedule: readonly string[], job: string): Promise<Answer> {
    await service.table.put(applicationItem({ job }));
    const answer = await under(schedule, job, 'getApplication');
    if (answer.status === 200) expect(answer.body).toEqual(fullApplication);
    return answer;
  }

  /** Changes a job: once if any attempt reached the database, not at all if none did. */
  async function change(schedule: readonly string[], job: string): Promise<Answer> {
    await service.table.put(jobItem({ job }));
    const answer = await under(schedule, job, 'updateJobStatus');
    const attempts = service.proxy.requestsFor(`#JOB#${job}"`).length;
    const isDone = Array.from({ length: attempts }, (_, at) => schedule[at]).some(
      (name) => name === undefined || faults[name]?.[1],
    );
    const stored = () => service.table.read(jobKey('default', job));
    const after = isDone ? { status: 'published', version: 2 } : { status: 'draft', version: 1 };
    expect(await stored(), `${schedule}`).toMatchObject(after);
    if (answer.status === 200) {
      expect(isDone).toBe(true);
      expect(answer.headers.ETag).toBe('"2"');
      return answer;
    }
    // What a client does that was told 503: it ends with one change, however often it asks.
    counts['retried by the client'] += 1;
    const ask = () => service.updateJobStatus({ pathParameters: { id: job } });
    let again = await ask();
    for (let tries = 2; tries > 0 && again.status === 503; tries -= 1) again = await ask();
    expect(again).toMatchObject({ status: 200, headers: { ETag: '"2"' } });
    expect(await stored()).toMatchObject({ status: 'published', version: 2 });
    return answer;
  }

  describe.each(['getApplication', 'updateJobStatus'] as const)('as %s sees it', (operation) => {
    const act = operation === 'getApplication' ? read : change;

    /** Holds that the answer has this status, by three tries at most: a busy machine is late at times. */
    async function expectStatus(expected: number, schedule: readonly string[]): Promise<void> {
      const statuses: number[] = [];
      const name = `${operation}-${schedule.length}-${names.indexOf(String(schedule[0]))}`;
      while (statuses.length < 3 && statuses.at(-1) !== expected) {
        statuses.push((await act(schedule, `${name}-${statuses.length}.`)).status);
      }
      expect(statuses.at(-1)).toBe(expected);
    }

    it.concurrent.each(names)('that %s once', async (name) => {
      await expectStatus(isFinal.has(name) ? 503 : 200, [name]);
    });

    it.concurrent.each(names)('that %s always', async (name) => {
      const always = Array.from({ length: 12 }, () => name);
      await expectStatus(name === 'answers late' ? 200 : 503, always);
    });

    it('by schedules of faults', async () => {
      const random = randomNumbers(seed());
      const schedules = Array.from({ length: SCHEDULES / 2 }, () =>
        Array.from({ length: 1 + random.below(4) }, () => random.pick(names)),
      );
      const before = counts.requests;
      const worker = async () => {
        for (let schedule = schedules.pop(); schedule; schedule = schedules.pop()) {
          await act(schedule, `${operation}-schedule-${schedules.length}.`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(counts.requests - before).toBe(SCHEDULES / 2);
    });
  });

  it('leaves no unhandled rejection', () => {
    expect(rejections).toEqual([]);
  });
});
