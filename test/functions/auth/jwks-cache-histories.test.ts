import fc from 'fast-check';
import type { JSONWebKeySet } from 'jose';
import { JOSEError } from 'jose/errors';
import { describe, expect, inject, it } from 'vitest';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import { Problem } from '../../../functions/contract/problem.ts';
import { type ClockReading, elapsed } from '../../../functions/platform/clock.ts';
import { type SigningKey, signingKey } from '../../support/issuer.ts';
import { signedBy } from './tokens/token.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** How long a key may be accepted after the issuer has withdrawn it. */
const CACHE_MS = 10 * MINUTE;
/** How long a valid token may be rejected after the issuer has recovered or has published the key. */
const LONGEST_REJECTION_MS = 10 * SECOND;
/** If a fetch takes this long, the process was frozen during it, and the fetched keys may be out of date. */
const FROZEN_MS = 10 * SECOND;

const monotonicClocks = [
  'always moves',
  'stands still when frozen',
  'moves 3 ms a request',
] as const;
type MonotonicClock = (typeof monotonicClocks)[number];

/** How the JWKS and the tokens name a key: by a `kid` of its own, by the same `kid` for all keys, or not at all. */
const naming = fc.constantFrom<(key: SigningKey) => string>(
  ({ kid }) => kid,
  () => 'reused',
  () => '',
);

interface Step {
  issuer?: { state: 'up' | 'down' | 'slow'; latencyMs: number } | undefined;
  /** For each token to send, the number of its signing key. */
  tokens: readonly number[];
  /** Numbers of the keys that the issuer publishes from now on. */
  publish?: readonly number[] | undefined;
  /** Moves the wall clock forward; back if negative. */
  setClockMs?: number | undefined;
  pass: { runMs: number } | { freezeMs: number; cutsConnection: boolean };
}

const ms = fc.constantFrom(
  ...[1, 200, 250, 1500, 3000, 9999, 10_000, 10_001, 30_000, 8 * MINUTE, CACHE_MS - 1, CACHE_MS],
  ...[9 * MINUTE, 60 * MINUTE],
);
const backMs = ms.map((by) => -by);
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const issuer = fc.record({
  state: fc.constantFrom('up', 'up', 'up', 'down', 'slow'),
  latencyMs: fc.constantFrom(1, 300, 2500),
});
const tokens = fc.array(fc.nat({ max: 2 }), { maxLength: 3 });

const historiesBy = (clock: MonotonicClock): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      issuer: perhaps(issuer),
      tokens,
      publish: perhaps(fc.subarray([0, 1, 2], { minLength: 1 })),
      // The wall clock is set back only if the monotonic clock always moves. If it were set back while the monotonic
      // clock stands still, no program could know how much time has passed.
      setClockMs: perhaps(clock === 'always moves' ? fc.oneof(ms, backMs) : ms),
      pass: fc.oneof(
        fc.record({ runMs: ms }),
        fc.record({ freezeMs: ms, cutsConnection: fc.boolean() }),
      ),
    }),
    { minLength: 2, maxLength: 15 },
  );

/**
 * An unreliable issuer replaces its key every minute. Tokens arrive just before each replacement and ten seconds after
 * it.
 */
const rotations: fc.Arbitrary<Step[]> = fc
  .array(fc.record({ issuer, tokens }), { minLength: 30, maxLength: 60 })
  .map((steps) =>
    steps.map((step, at) =>
      at % 2 === 0
        ? { ...step, publish: [(at / 2) % 3], pass: { runMs: LONGEST_REJECTION_MS } }
        : { ...step, pass: { runMs: MINUTE - LONGEST_REJECTION_MS } },
    ),
  );

/** `leftMs` is the time that the fetch still needs. It decreases only while the process runs. */
interface Fetch {
  leftMs: number;
  begunAt: number;
  end: () => void;
  cut: () => void;
}

class World {
  readonly mismatches: string[] = [];
  readonly #keys: readonly SigningKey[];
  readonly #monotonicClock: MonotonicClock;
  /** `#now` is the true time. The process sees `#monotonic`, and a wall clock that is `#aheadMs` ahead. */
  #now = 0;
  #monotonic = 0;
  #aheadMs = 0;
  /** Key number -> when the issuer began (`#since`) or stopped (`#until`) publishing the key. */
  readonly #since = new Map<number, number>([0, 1, 2].map((key) => [key, 0]));
  readonly #until = new Map<number, number>();
  #state: 'up' | 'down' | 'slow' = 'up';
  #latencyMs = 1;
  /** When the issuer was last down or slow, or a connection was cut. */
  #awayAt = Number.NEGATIVE_INFINITY;
  #fetch: Fetch | undefined;
  /** When the last fetch and the last successful fetch began, by the process's clocks. */
  #attemptedAt: ClockReading | undefined;
  #fetchedAt: ClockReading | undefined;
  #waiting = 0;
  readonly #cache = jwksCache(
    (timeoutMs) => this.#fetchKeys(timeoutMs),
    () => this.#moment(),
  );

  constructor(keys: readonly SigningKey[], monotonicClock: MonotonicClock) {
    this.#keys = keys;
    this.#monotonicClock = monotonicClock;
  }

  async play(history: readonly Step[]): Promise<void> {
    void this.#cache.prefetch();
    for (const step of history) await this.#take(step);
    // Whatever happened, valid tokens are accepted soon after the issuer has recovered.
    const good = { issuer: { state: 'up', latencyMs: 1 }, publish: [0] } as const;
    await this.#take({ ...good, tokens: [], pass: { runMs: LONGEST_REJECTION_MS } });
    await this.#take({ ...good, tokens: [0], pass: { runMs: FROZEN_MS } });
    if (this.#waiting > 0) this.mismatches.push('a request gets no response');
  }

  async #take({ issuer, tokens, publish, setClockMs = 0, pass }: Step): Promise<void> {
    this.#noteAbsence();
    if (issuer) ({ state: this.#state, latencyMs: this.#latencyMs } = issuer);
    this.#aheadMs += setClockMs;
    if (this.#monotonicClock === 'moves 3 ms a request') this.#monotonic += 3;
    for (const key of tokens) void this.#send(key);
    await settled();
    if (publish) this.#publish(publish);
    if ('runMs' in pass) await this.#run(pass.runMs);
    else await this.#freeze(pass.freezeMs, pass.cutsConnection);
  }

  #publish(published: readonly number[]): void {
    for (const key of [0, 1, 2]) {
      const isPublished = this.#since.has(key);
      if (published.includes(key) && !isPublished) this.#since.set(key, this.#now);
      if (!published.includes(key) && isPublished) {
        this.#since.delete(key);
        this.#until.set(key, this.#now);
      }
    }
  }

  async #run(ms: number): Promise<void> {
    await settled();
    let left = ms;
    while (this.#fetch !== undefined && this.#fetch.leftMs <= left) {
      const { leftMs, end } = this.#fetch;
      left -= leftMs;
      this.#pass(leftMs);
      this.#fetch = undefined;
      end();
      await settled();
    }
    if (this.#fetch) this.#fetch.leftMs -= left;
    this.#pass(left);
  }

  #moment(): ClockReading {
    return { date: this.#now + this.#aheadMs, monotonic: this.#monotonic };
  }

  #pass(ms: number): void {
    this.#now += ms;
    if (this.#monotonicClock !== 'moves 3 ms a request') this.#monotonic += ms;
  }

  async #freeze(ms: number, cutsConnection: boolean): Promise<void> {
    this.#now += ms;
    if (this.#monotonicClock === 'always moves') this.#monotonic += ms;
    if (this.#fetch === undefined || !cutsConnection) return;
    const { begunAt, cut } = this.#fetch;
    // To the process, a cut connection looks like an issuer that is down.
    if (this.#now - begunAt < FROZEN_MS) this.#awayAt = this.#now;
    this.#fetch = undefined;
    cut();
    await settled();
  }

  #noteAbsence(): void {
    if (this.#state !== 'up') this.#awayAt = this.#now;
  }

  #fetchKeys(timeoutMs: number): Promise<JSONWebKeySet> {
    if (this.#fetch !== undefined) this.mismatches.push('two fetches at once');
    const begunAt = this.#moment();
    const isWithin = (ms: number, from?: ClockReading) => from && elapsed(from, begunAt) < ms;
    if (isWithin(CACHE_MS, this.#fetchedAt) && isWithin(FROZEN_MS, this.#attemptedAt)) {
      this.mismatches.push(`at ${this.#now}: two fetches within ten seconds, with fresh keys`);
    }
    this.#attemptedAt = begunAt;
    const { promise, resolve, reject } = Promise.withResolvers<JSONWebKeySet>();
    const published = this.#keys.filter((_, key) => this.#since.has(key));
    const keys = published.map(({ jwk, kid }) => ({ ...jwk, kid }));
    const fail = () => reject(new Error('away'));
    const isSlow = this.#state === 'slow' || this.#latencyMs >= timeoutMs;
    if (isSlow) this.#awayAt = this.#now;
    this.#fetch = {
      leftMs: isSlow ? timeoutMs : this.#latencyMs,
      begunAt: this.#now,
      end: () => {
        if (isSlow || this.#state === 'down') return fail();
        this.#fetchedAt = begunAt;
        resolve({ keys });
      },
      cut: fail,
    };
    return promise;
  }

  async #outcome(key: number): Promise<string> {
    const signer = this.#keys[key] ?? expect.fail();
    try {
      await this.#cache.verifyWithIssuerKeys(signedBy(signer, signer.kid));
      return 'accepted';
    } catch (error) {
      if (error instanceof Problem || error instanceof JOSEError) return error.code;
      throw error;
    }
  }

  async #send(key: number): Promise<void> {
    const sentAt = this.#now;
    this.#waiting += 1;
    const outcome = await this.#outcome(key);
    this.#waiting -= 1;
    this.#noteAbsence();
    const isPublished = this.#since.has(key);
    const withdrawnAgo = isPublished ? 0 : this.#now - (this.#until.get(key) ?? Number.NaN);
    const quietSince = Math.max(
      this.#awayAt,
      outcome === 'unavailable' ? 0 : (this.#since.get(key) ?? sentAt),
    );
    const isExcused = sentAt - quietSince < LONGEST_REJECTION_MS;
    const wrong =
      outcome === 'accepted'
        ? withdrawnAgo >= CACHE_MS && `a key is accepted ${withdrawnAgo} ms after its withdrawal`
        : !isExcused &&
          `${outcome} ${sentAt - quietSince} ms after the issuer is back or has the key`;
    if (wrong) this.mismatches.push(`at ${this.#now}: ${wrong}`);
  }
}

/**
 * Waits for all work that does not need virtual time. One turn of the event loop suffices, because keys are imported on
 * the main thread.
 */
const settled = () => new Promise(setImmediate);

describe.each(monotonicClocks)('the cached keys, on a monotonic clock that %s,', async (clock) => {
  const keys = await Promise.all([signingKey(), signingKey(), signingKey()]);

  it('reject no valid token for long, and accept no withdrawn key for long', async () => {
    const histories = fc.oneof({ arbitrary: historiesBy(clock), weight: 3 }, rotations);
    await fc.assert(
      fc.asyncProperty(naming, histories, async (kidOf, history) => {
        const named = keys.map((key) => ({ ...key, kid: kidOf(key) }));
        const world = new World(named, clock);
        await world.play(history);
        expect(world.mismatches).toEqual([]);
      }),
      { numRuns: 5000 * inject('scale'), seed: inject('seed') },
    );
  });
});
