import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { inTime, LAMBDA_MS } from '../support/in-time.ts';
import type { Answer } from '../support/invoke.ts';
import { type Answerer, TestIssuer } from '../support/issuer.ts';
import { applicationItem } from '../support/items.ts';
import { type Functions, functionNames, useService } from '../support/service.ts';
import { answering, failing, hanging, keyless, misleading } from './outage/faults.ts';
import { OutageSetup, sleep, type Target, useTestClock } from './outage/setup.ts';
import { printCounts } from './random-cases.ts';

const MINUTE = 60_000;
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
  const service = useService({}, ['issuer']);
  const counts = { outages: 0, requests: 0, 'answered 401': 0, 'slowest in ms': 0 };
  let setups: Record<Target, OutageSetup>;
  let other: TestIssuer;
  beforeAll(async () => {
    useTestClock();
    await service.table.put(applicationItem({}));
    other = await TestIssuer.start();
    const [discovery, keys] = [await OutageSetup.start(service), await OutageSetup.start(service)];
    setups = { discovery, keys };
  });
  afterEach(() => {
    for (const { recover } of Object.values(setups)) recover();
    sleep(MINUTE);
  });
  afterAll(async () => {
    await Promise.all([setups.discovery, setups.keys].map(({ issuer }) => issuer.stop()));
    await other.stop();
    vi.useRealTimers();
    printCounts('outages of the issuer', counts);
  });

  /** Sends a request with a good token, which must be answered in time. */
  async function timed(call: Functions[keyof Functions], token: string): Promise<Answer> {
    const startedAt = realMs();
    const answer = await inTime(() => call({ token, remainingMs: LAMBDA_MS }));
    const ms = realMs() - startedAt;
    counts.requests += 1;
    counts['slowest in ms'] = Math.max(counts['slowest in ms'], Math.round(ms));
    if (answer.status === 401) counts['answered 401'] += 1;
    return answer;
  }

  const all = (functions: Functions, token: string, times = 1) =>
    Promise.all(
      Object.values(functions).flatMap((call) =>
        Array.from({ length: times }, () => timed(call, token)),
      ),
    );

  /** Functions that begin in the outage and functions that have keys; a good token and another. */
  async function prepare(setup: OutageSetup, answerer: Answerer, target: Target) {
    setup.clearRequests();
    setup.fail(answerer, target);
    const [good, unknown] = [await setup.mint(), await setup.mint(setup.unpublished)];
    return { setup, cold: await setup.load(), warm: setup.warm, good, unknown };
  }

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  async function sendDuring({ setup, cold, warm, good, unknown }: Prepared): Promise<void> {
    const [unserved, cached, undecided] = await Promise.all([
      all(cold, good, AT_ONCE),
      timed(warm.getApplication, good),
      timed(warm.getApplication, unknown),
    ]);
    for (const answer of [...unserved, undecided]) expectUnavailable(answer);
    expect(cached.status).toBe(200);
    // Each function asked that could not do without, those that started in the outage a second time after
    // their prefetch; for the keys only if discovery led to them.
    const asked = 2 * functionNames.length + 1;
    expect(setup.asked.discovery).toHaveLength(asked);
    expect([0, asked]).toContain(setup.asked.keys.length);
  }

  /** An outage of one document of each of these issuers, and its end. */
  async function runOutage(answerer: Answerer, ...targets: Target[]): Promise<void> {
    const prepared: Prepared[] = [];
    for (const target of targets) {
      setups[target].warm = await setups[target].load();
      const token = await setups[target].mint();
      expect((await setups[target].warm.getApplication({ token })).status).toBe(200);
    }
    sleep(11_000);
    // One after the other: they read the same environment.
    for (const target of targets) prepared.push(await prepare(setups[target], answerer, target));
    await Promise.all(prepared.map(sendDuring));
    for (const target of targets) setups[target].recover();
    for (const { cold, good } of prepared) (await all(cold, good)).forEach(expectUnavailable);
    sleep(250);
    for (const { cold, good } of prepared) (await all(cold, good)).forEach(expectSuccess);
    counts.outages += targets.length;
  }

  it.each(everywhere)(
    '%s, it is 503 or the cache, and 200 as soon as it is over',
    async (_, answerer) => {
      await runOutage(answerer, 'discovery', 'keys');
    },
  );

  it.each(Object.entries(misleading))('%s, likewise', async (_, answerer) => {
    await runOutage(answerer, 'discovery');
  });

  it.each(Object.entries(keyless))('%s, likewise', async (_, answerer) => {
    await runOutage(answerer, 'keys');
  });

  it('redirects to another host, likewise, and that host is not asked', async () => {
    const away: Answerer = (response, url) =>
      response.writeHead(302, { location: `${other.url}${url}` }).end();
    await runOutage(away, 'discovery', 'keys');
    expect(other.requests).toEqual([]);
    expect((await fetch(`${other.url}/jwks`)).status).toBe(200);
  });

  it.each(Object.entries(answering))('%s, it is 200', async (_, answerer) => {
    const setup = setups.keys;
    setup.recover(answerer);
    const cold = await setup.load();
    (await all(cold, await setup.mint(), AT_ONCE)).forEach(expectSuccess);
  });
});
