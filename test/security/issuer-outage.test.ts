import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { printCounts } from '../support/campaign.ts';
import type { Answer } from '../support/invoke.ts';
import { type Answerer, TestIssuer } from '../support/issuer.ts';
import { applicationItem } from '../support/items.ts';
import { type Functions, useService } from '../support/service.ts';
import { answering, failing, hanging, keyless, misleading } from './outage/faults.ts';
import { Subject, sleep, type Target, useTestClock } from './outage/subject.ts';

const MINUTE = 60_000;
/** The most that an answer may take, in milliseconds of real time. */
const LIMIT_MS = 1900;
/** How many requests each function gets at once. */
const AT_ONCE = 4;

type Rows = [name: string, answerer: Answerer][];
const everywhere: Rows = Object.entries({ ...hanging, ...failing });

/** A clock that no test changes, in milliseconds. */
const realMs = () => Number(process.hrtime.bigint() / 1_000_000n);

const expectSuccess = ({ status, body }: Answer) =>
  expect([200, 'job_not_found']).toContain(body.code ?? status);

function expectUnavailable({ status, headers, body }: Answer): void {
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
  expect(headers['Retry-After']).toBe('1');
  expect(headers).not.toHaveProperty('WWW-Authenticate');
}

describe('while an issuer', () => {
  const service = useService();
  const counts = { outages: 0, requests: 0, 'answered 401': 0, 'slowest in ms': 0 };
  let subjects: Record<Target, Subject>;
  let other: TestIssuer;
  beforeAll(async () => {
    useTestClock();
    await service.table.put(applicationItem({}));
    other = await TestIssuer.start();
    const [discovery, keys] = [
      await Subject.start(service.table),
      await Subject.start(service.table),
    ];
    subjects = { discovery, keys };
  });
  afterEach(() => {
    for (const { mend } of Object.values(subjects)) mend();
    sleep(MINUTE);
  });
  afterAll(async () => {
    await Promise.all([subjects.discovery, subjects.keys].map(({ issuer }) => issuer.stop()));
    await other.stop();
    vi.useRealTimers();
    printCounts('outages of the issuer', counts);
  });

  /** Sends a request with a good token, and holds the answer to its time. */
  async function timed(call: Functions[keyof Functions], token: string): Promise<Answer> {
    const startedAt = realMs();
    const answer = await call({ token });
    const ms = realMs() - startedAt;
    counts.requests += 1;
    counts['slowest in ms'] = Math.max(counts['slowest in ms'], Math.round(ms));
    if (answer.status === 401) counts['answered 401'] += 1;
    expect(ms).toBeLessThan(LIMIT_MS);
    return answer;
  }

  const all = (functions: Functions, token: string, times = 1) =>
    Promise.all(
      [functions.getApplication, functions.updateJobStatus].flatMap((call) =>
        Array.from({ length: times }, () => timed(call, token)),
      ),
    );

  /** Functions that begin in the outage and functions that have keys; a good token and another. */
  async function prepare(subject: Subject, answerer: Answerer, target: Target) {
    subject.forget();
    subject.break(answerer, target);
    const [good, unknown] = [await subject.mint(), await subject.mint(subject.stranger)];
    return { subject, cold: await subject.load(), warm: subject.warm, good, unknown };
  }

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  async function suffer({ subject, cold, warm, good, unknown }: Prepared): Promise<void> {
    const [unserved, cached, undecided] = await Promise.all([
      all(cold, good, AT_ONCE),
      timed(warm.getApplication, good),
      timed(warm.getApplication, unknown),
    ]);
    for (const answer of [...unserved, undecided]) expectUnavailable(answer);
    expect(cached.status).toBe(200);
    // Each function asked that could not do without, those that started in the outage a second time after
    // their prefetch; for the keys only if discovery led to them.
    expect(subject.asked.discovery).toHaveLength(5);
    expect([0, 5]).toContain(subject.asked.keys.length);
  }

  /** An outage of one document of each of these issuers, and its end. */
  async function endure(answerer: Answerer, ...targets: Target[]): Promise<void> {
    const prepared: Prepared[] = [];
    for (const target of targets) {
      subjects[target].warm = await subjects[target].load();
      const token = await subjects[target].mint();
      expect((await subjects[target].warm.getApplication({ token })).status).toBe(200);
    }
    sleep(11_000);
    // One after the other: they read the same environment.
    for (const target of targets) prepared.push(await prepare(subjects[target], answerer, target));
    await Promise.all(prepared.map(suffer));
    for (const target of targets) subjects[target].mend();
    for (const { cold, good } of prepared) (await all(cold, good)).forEach(expectUnavailable);
    sleep(250);
    for (const { cold, good } of prepared) (await all(cold, good)).forEach(expectSuccess);
    counts.outages += targets.length;
  }

  it.each(everywhere)(
    '%s, it is 503 or the cache, and 200 as soon as it is over',
    async (_, answerer) => {
      await endure(answerer, 'discovery', 'keys');
    },
  );

  it.each(Object.entries(misleading))('%s, likewise', async (_, answerer) => {
    await endure(answerer, 'discovery');
  });

  it.each(Object.entries(keyless))('%s, likewise', async (_, answerer) => {
    await endure(answerer, 'keys');
  });

  it('redirects to another host, likewise, and that host is not asked', async () => {
    const away: Answerer = (response, url) =>
      response.writeHead(302, { location: `${other.url}${url}` }).end();
    await endure(away, 'discovery', 'keys');
    expect(other.requests).toEqual([]);
    expect((await fetch(`${other.url}/jwks`)).status).toBe(200);
  });

  it.each(Object.entries(answering))('%s, it is 200', async (_, answerer) => {
    const subject = subjects.keys;
    subject.mend(answerer);
    const cold = await subject.load();
    (await all(cold, await subject.mint(), AT_ONCE)).forEach(expectSuccess);
  });
});
