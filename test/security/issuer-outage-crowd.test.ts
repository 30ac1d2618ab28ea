import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { printCounts } from '../support/campaign.ts';
import type { Answer } from '../support/invoke.ts';
import type { Answerer } from '../support/issuer.ts';
import { applicationItem, jobItem } from '../support/items.ts';
import { type Functions, useService } from '../support/service.ts';
import { failing, hanging } from './outage/faults.ts';
import { Subject, sleep, type Target, useTestClock } from './outage/subject.ts';
import { countAnswer, noAnswers, tooSoon } from './outage/witness.ts';

const SECOND = 1000;
const CROWD = 200;
const FLOOR_MS = 10 * SECOND;
const FIRST_PAUSE_MS = 250;

const faults: [string, Answerer | undefined][] = [
  ['never answers', hanging['never answers']],
  ['drops the connection', failing['drops the connection']],
  ['answers 500', failing['answers 500 with the right document']],
];

describe.each<{ address: string; first: Target }>([
  { address: 'discovery names', first: 'discovery' },
  { address: 'the deployment names (JWKS_URI)', first: 'keys' },
])('of an issuer whose keys’ address $address, that', ({ first }) => {
  const service = useService();
  const counts = {
    requests: 0,
    fetches: 0,
    ...noAnswers(),
  };
  let subject: Subject;
  let getApplication: Functions['getApplication'];
  beforeAll(async () => {
    useTestClock();
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
    subject = await Subject.start(service.table, first);
  });
  /** Starts the function while the issuer answers so, and fetches the keys, or does not get them. */
  async function begin(answerer?: Answerer): Promise<void> {
    if (answerer) subject.break(answerer);
    else subject.mend();
    subject.forget();
    getApplication = await subject.loadRead();
  }
  afterAll(async () => {
    await subject.issuer.stop();
    vi.useRealTimers();
    printCounts(`crowds in an outage, ${first} first`, counts);
  });

  /** The statuses of these tokens' requests, all sent at once. */
  async function statusesOf(tokens: readonly string[]): Promise<number[]> {
    const answers = await Promise.all(tokens.map((token) => getApplication({ token })));
    counts.requests += answers.length;
    for (const { status } of answers) countAnswer(counts, status);
    return answers.map(({ status }: Answer) => status);
  }

  const crowdOf = (token: string) => new Array<string>(CROWD).fill(token);

  afterEach(() => {
    counts.fetches += subject.fetches.length;
  });

  /** Holds that the keys were fetched so often; a fetch that fails ends with its first document. */
  function expectFetches(times: number, failed = 0): void {
    const { discovery, keys } = subject.asked;
    const seen = { discovery: discovery.length, keys: keys.length };
    expect(seen).toEqual(
      first === 'keys' ? { discovery: 0, keys: times } : { discovery: times, keys: times - failed },
    );
  }

  it.each(faults)('%s, 200 requests at once ask once, after the prefetch', async (_, answerer) => {
    await begin(answerer ?? expect.fail('There is no such fault.'));
    const good = await subject.mint();
    expect(new Set(await statusesOf(crowdOf(good)))).toEqual(new Set([503]));
    expectFetches(2, 2);
    sleep(FIRST_PAUSE_MS - 1);
    expect(new Set(await statusesOf(crowdOf(good)))).toEqual(new Set([503]));
    expectFetches(2, 2);
    subject.mend();
    sleep(1);
    // Not the crowd, which a database on a busy machine would not serve in its one second.
    expect(await statusesOf([good])).toEqual([200]);
    expect(await statusesOf([good, good])).toEqual([200, 200]);
    expectFetches(3, 2);
  });

  it('has no such keys, 200 requests with keys of their own ask once', async () => {
    await begin();
    const good = await subject.mint();
    expect(await statusesOf([good])).toEqual([200]);
    sleep(FLOOR_MS);
    const forged = await Promise.all(
      crowdOf('kid').map((kid, at) =>
        subject.issuer.mint({}, { kid: `${kid}-${at}` }, subject.stranger),
      ),
    );
    const statuses = await statusesOf([...forged, good]);
    expect(new Set(statuses.slice(0, CROWD))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(200);
    expectFetches(2);
  });

  it('is down from its second minute to its fourteenth, every mix of tokens is answered and asks seldom', async () => {
    await begin();
    const forged = await subject.mint(subject.stranger);
    const startedAt = Date.now();
    const minuteOf = () => (Date.now() - startedAt) / 60_000;
    for (; minuteOf() < 16; sleep(2 * SECOND)) {
      if (minuteOf() === 2) subject.break(failing['drops the connection'] ?? expect.fail());
      if (minuteOf() === 14) subject.mend();
      const [good, unknown, malformed] = await statusesOf([await subject.mint(), forged, 'a.b.c']);
      expect(malformed).toBe(401);
      // The last keys are of the second minute: they are good until the twelfth.
      const minute = minuteOf();
      if (minute < 11.8) expect(good).toBe(200);
      else if (minute >= 12 && minute < 14) expect(good).toBe(503);
      else if (minute > 14.2) expect(good).toBe(200);
      else expect([200, 503]).toContain(good);
      if (minute > 2.2 && minute < 11.8) expect([401, 503]).toContain(unknown);
      else if (minute >= 12 && minute < 14) expect(unknown).toBe(503);
    }
    const { discovery, keys } = subject.asked;
    expect([...tooSoon(discovery), ...tooSoon(keys)]).toEqual([]);
    expect(subject.fetches.length).toBeGreaterThan(80);
    // Once in ten seconds for unknown keys, and as often for keys that get old.
    expect(subject.fetches.length).toBeLessThan(160);
  });
});
