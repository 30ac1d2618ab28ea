import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type SigningKey, signingKey } from '../support/issuer.ts';
import { applicationItem } from '../support/items.ts';
import { useService } from '../support/service.ts';
import { countAnswer, mismatch, noAnswers, type Sent, tooSoon } from './outage/expected-status.ts';
import { answering, failing, keyless } from './outage/faults.ts';
import { OutageSetup, sleep, useTestClock } from './outage/setup.ts';
import { mixedSeed, printCounts, randomNumbers, scaled, seed } from './random-cases.ts';

const SCHEDULES = scaled(25);
const STEPS = 40;
/** Pauses in milliseconds, to either side of the ten seconds and the ten minutes that matter. */
const PAUSES = [0, 1, 500, 3000, 9999, 10_000, 10_001, 30_000, 120_000, 599_999, 600_000];
const SLOW = ['answers after 300 ms', 'answers after 800 ms', 'answers in five pieces'];
const quick = Object.entries(answering).filter(([name]) => !SLOW.includes(name));

const service = useService();
const counts = {
  schedules: 0,
  requests: 0,
  fetches: 0,
  ...noAnswers(),
};
let setup: OutageSetup;
/** The first is always published, the others come and go. */
let keys: SigningKey[];

beforeAll(async () => {
  useTestClock();
  await service.table.put(applicationItem({}));
  setup = await OutageSetup.start(service);
  keys = [setup.issuer.key, await signingKey(), await signingKey('RS256')];
});
afterAll(async () => {
  await setup.issuer.stop();
  vi.useRealTimers();
  printCounts('random schedules of outages', counts);
});

/** Changes how the issuer behaves, or which keys it has. */
function changeIssuer({ next, pick }: ReturnType<typeof randomNumbers>): void {
  if (next() < 0.3) {
    setup.issuer.published = keys.filter((_, at) => at === 0 || next() < 0.5).map(({ jwk }) => jwk);
  }
  const chance = next();
  if (chance < 0.45)
    setup.fail(pick(Object.values(failing)), pick(['discovery', 'keys', undefined]));
  else if (chance < 0.55) setup.fail(pick(Object.values(keyless)), 'keys');
  else setup.recover(pick(quick)[1]);
}

/** A token of some kind, and what is to be known of it. */
async function someToken({ next, pick }: ReturnType<typeof randomNumbers>) {
  const key = pick([...keys, setup.unpublished]);
  const chance = next();
  const kind: Sent['kind'] = chance < 0.8 ? 'good' : chance < 0.9 ? 'expired' : 'malformed';
  const claims = kind === 'expired' ? { exp: Math.floor(Date.now() / 1000) - 60 } : {};
  const token = kind === 'malformed' ? 'a.b.c' : await setup.issuer.mint(claims, {}, key);
  return { sent: { kind, kid: key.kid }, token };
}

/** A cold start and forty moments after it, each with some requests at once. */
async function run(random: ReturnType<typeof randomNumbers>): Promise<string[]> {
  const mismatches: string[] = [];
  setup.recover();
  setup.clearRequests();
  const getApplication = await setup.loadRead();
  let earlier = setup.fetches.length;
  for (let step = 0; step < STEPS; step += 1) {
    if (random.next() < 0.4) changeIssuer(random);
    const tokens: Awaited<ReturnType<typeof someToken>>[] = [];
    // One of the step before may still be under way in the background.
    const first = earlier;
    earlier = setup.fetches.length;
    for (let left = random.below(5); left >= 0; left -= 1) tokens.push(await someToken(random));
    const answers = await Promise.all(tokens.map(({ token }) => getApplication({ token })));
    answers.forEach(({ status }, at) => {
      counts.requests += 1;
      countAnswer(counts, status);
      const sent = tokens[at]?.sent ?? expect.fail('There are as many answers as tokens.');
      // Of requests at once, one may have the keys fetched while another is served.
      const wrong = Array.from({ length: setup.fetches.length - first + 1 }, (_, count) =>
        mismatch(sent, status, setup.fetches.slice(0, first + count), Date.now()),
      );
      if (!wrong.includes(undefined)) mismatches.push(`step ${step}: ${wrong.join(', ')}`);
    });
    // A fetch in the background has what the issuer publishes now, not after the next change.
    await setup.issuer.idle();
    sleep(random.pick(PAUSES));
  }
  counts.schedules += 1;
  counts.fetches += setup.fetches.length;
  for (const [document, times] of Object.entries(setup.asked)) {
    mismatches.push(...tooSoon(times).map((at) => `${document} asked for too soon, at ${at}`));
  }
  return mismatches;
}

it.each(Array.from({ length: SCHEDULES }, (_, at) => ({ number: at })))(
  'an issuer that fails and recovers by schedule $number has every request answered as it should be',
  async ({ number }) => {
    expect(await run(randomNumbers(mixedSeed(seed(), number)))).toEqual([]);
  },
);

it('the schedules have come to every answer', () => {
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10);
});
