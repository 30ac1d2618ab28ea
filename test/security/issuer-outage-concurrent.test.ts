import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../support/invoke.ts';
import type { Answerer, SigningKey } from '../support/issuer.ts';
import { applicationItem, jobItem } from '../support/items.ts';
import { type Functions, useService } from '../support/service.ts';
import { countAnswer, mismatch, noAnswers, tooSoon } from './outage/expected-status.ts';
import { failing, hanging } from './outage/faults.ts';
import { OutageSetup, sleep, type Target, useTestClock } from './outage/setup.ts';
import { printCounts } from './random-cases.ts';

const SECOND = 1000;
const AT_ONCE = 200;
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
  const service = useService({}, ['issuer']);
  const counts = {
    requests: 0,
    fetches: 0,
    ...noAnswers(),
  };
  let setup: OutageSetup;
  let getApplication: Functions['getApplication'];
  beforeAll(async () => {
    useTestClock();
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
    setup = await OutageSetup.start(service, first);
  });
  /** Starts the function while the issuer answers so, and fetches the keys, or does not get them. */
  async function begin(answerer?: Answerer): Promise<void> {
    if (answerer) setup.fail(answerer);
    else setup.recover();
    setup.clearRequests();
    getApplication = await setup.loadRead();
  }
  afterAll(async () => {
    await setup.issuer.stop();
    vi.useRealTimers();
    printCounts(`concurrent requests in an outage, ${first} first`, counts);
  });

  /** The statuses of these tokens' requests, all sent at once. */
  async function statusesOf(tokens: readonly string[]): Promise<number[]> {
    const answers = await Promise.all(tokens.map((token) => getApplication({ token })));
    counts.requests += answers.length;
    for (const { status } of answers) countAnswer(counts, status);
    return answers.map(({ status }: Answer) => status);
  }

  const copiesOf = (token: string) => new Array<string>(AT_ONCE).fill(token);

  afterEach(() => {
    counts.fetches += setup.fetches.length;
  });

  /** Holds that the keys were fetched so often; a fetch that fails ends with its first document. */
  function expectFetches(times: number, failed = 0): void {
    const { discovery, keys } = setup.asked;
    const seen = { discovery: discovery.length, keys: keys.length };
    expect(seen).toEqual(
      first === 'keys' ? { discovery: 0, keys: times } : { discovery: times, keys: times - failed },
    );
  }

  it.each(faults)('%s, 200 requests at once ask once, after the prefetch', async (_, answerer) => {
    await begin(answerer ?? expect.fail('There is no such fault.'));
    const good = await setup.mint();
    expect(new Set(await statusesOf(copiesOf(good)))).toEqual(new Set([503]));
    expectFetches(2, 2);
    sleep(FIRST_PAUSE_MS - 1);
    expect(new Set(await statusesOf(copiesOf(good)))).toEqual(new Set([503]));
    expectFetches(2, 2);
    setup.recover();
    sleep(1);
    // Not 200, which a database on a busy machine would not serve in its one second.
    expect(await statusesOf([good])).toEqual([200]);
    expect(await statusesOf([good, good])).toEqual([200, 200]);
    expectFetches(3, 2);
  });

  it('has no such keys, 200 requests with keys of their own ask once', async () => {
    await begin();
    const good = await setup.mint();
    expect(await statusesOf([good])).toEqual([200]);
    sleep(FLOOR_MS);
    const forged = await Promise.all(
      copiesOf('kid').map((kid, at) =>
        setup.issuer.mint({}, { kid: `${kid}-${at}` }, setup.unpublished),
      ),
    );
    const statuses = await statusesOf([...forged, good]);
    expect(new Set(statuses.slice(0, AT_ONCE))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(200);
    expectFetches(2);
  });

  it('is down from its second minute to its fourteenth, every mix of tokens is answered and asks seldom', async () => {
    await begin();
    const forged = await setup.mint(setup.unpublished);
    const startedAt = Date.now();
    const answers = new Set<string>();
    const mismatchOf = ({ kid }: SigningKey, status = 0) =>
      mismatch({ kind: 'good', kid }, status, setup.fetches, Date.now());
    const minuteOf = () => (Date.now() - startedAt) / 60_000;
    for (; minuteOf() < 16; sleep(2 * SECOND)) {
      if (minuteOf() === 2) setup.fail(failing['drops the connection'] ?? expect.fail());
      if (minuteOf() === 14) setup.recover();
      const [good, unknown, malformed] = await statusesOf([await setup.mint(), forged, 'a.b.c']);
      expect(malformed).toBe(401);
      const seen = [mismatchOf(setup.issuer.key, good), mismatchOf(setup.unpublished, unknown)];
      expect(seen).toEqual([undefined, undefined]);
      answers.add(`minute ${Math.floor(minuteOf())}: ${good}`);
    }
    // The last keys are of the second minute: they are good until the twelfth.
    for (const [minute, status] of [
      [2, 200],
      [11, 200],
      [12, 503],
      [13, 503],
      [15, 200],
    ]) {
      expect(answers).toContain(`minute ${minute}: ${status}`);
    }
    const { discovery, keys } = setup.asked;
    expect([...tooSoon(discovery), ...tooSoon(keys)]).toEqual([]);
    expect(setup.fetches.length).toBeGreaterThan(80);
    // Once in ten seconds for unknown keys, and as often for keys that get old.
    expect(setup.fetches.length).toBeLessThan(160);
  });
});
