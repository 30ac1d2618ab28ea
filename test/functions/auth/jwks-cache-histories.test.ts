import fc from 'fast-check';
import type { JSONWebKeySet } from 'jose';
import { JWKSNoMatchingKey } from 'jose/errors';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import { Problem } from '../../../functions/contract/problem.ts';
import { type SigningKey, signingKey } from '../../support/issuer.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** How long a key is accepted that the issuer has withdrawn. */
const CACHE_MS = 10 * MINUTE;
/**
 * How long a good token may be refused after the issuer is back, or after it has published the key: a fetch
 * of less than ten seconds, and a pause of ten.
 */
const LONGEST_REFUSAL_MS = 20 * SECOND;
/** A fetch that takes so long was frozen together with the process, and says nothing of the issuer now. */
const FROZEN_MS = 10 * SECOND;

/** What the monotonic clock of a process does while time passes. */
const monotonicClocks = [
  'always moves',
  'stands still when frozen',
  'moves 3 ms a request',
] as const;
type MonotonicClock = (typeof monotonicClocks)[number];

/** What happens at a moment: to the issuer, the requests, the wall clock, and the process until the next. */
interface Step {
  issuer: { state: 'up' | 'down' | 'slow'; latencyMs: number } | undefined;
  tokens: readonly number[];
  publish: readonly number[] | undefined;
  setBackMs: number | undefined;
  pass: { runMs: number } | { freezeMs: number; cutsConnection: boolean };
}

/** Times to either side of the limits of the cache. */
const ms = fc.constantFrom(
  ...[1, 200, 250, 1500, 3000, 9999, 10_000, 10_001, 30_000, 8 * MINUTE, CACHE_MS - 1, CACHE_MS],
  ...[9 * MINUTE, 60 * MINUTE],
);
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const historiesBy = (clock: MonotonicClock): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      issuer: perhaps(
        fc.record({
          state: fc.constantFrom('up', 'up', 'up', 'down', 'slow'),
          latencyMs: fc.constantFrom(1, 300, 2500),
        }),
      ),
      tokens: fc.array(fc.nat({ max: 2 }), { maxLength: 3 }),
      publish: perhaps(fc.subarray([0, 1, 2], { minLength: 1 })),
      // Nobody can tell the time by a clock that was set back and another that stands still.
      setBackMs: clock === 'always moves' ? perhaps(ms) : fc.constant(undefined),
      pass: fc.oneof(
        fc.record({ runMs: ms }),
        fc.record({ freezeMs: ms, cutsConnection: fc.boolean() }),
      ),
    }),
    { minLength: 2, maxLength: 15 },
  );

/** A fetch that is under way: what it will come to, after how much more time in which the process runs. */
interface Fetch {
  leftMs: number;
  begunAt: number;
  end: () => void;
  cut: () => void;
}

/** An issuer and a process with a cache of its keys, in virtual time. */
class World {
  /** What was wrong, in words. */
  readonly mismatches: string[] = [];
  readonly #jwks: readonly SigningKey['jwk'][];
  readonly #monotonicClock: MonotonicClock;
  /** The true time, and the times by the clocks of the process. */
  #now = 0;
  #monotonic = 0;
  #setBackMs = 0;
  /** By the key, since when the issuer publishes it, or until when it did. */
  readonly #since = new Map<number, number>([0, 1, 2].map((key) => [key, 0]));
  readonly #until = new Map<number, number>();
  #state: 'up' | 'down' | 'slow' = 'up';
  #latencyMs = 1;
  /** When the issuer was last away, or a connection to it was cut. */
  #awayAt = Number.NEGATIVE_INFINITY;
  #fetch: Fetch | undefined;
  #waiting = 0;
  readonly #cache = jwksCache(
    (timeoutMs) => this.#fetchKeys(timeoutMs),
    () => ({ date: this.#now - this.#setBackMs, monotonic: this.#monotonic }),
  );

  constructor(jwks: readonly SigningKey['jwk'][], monotonicClock: MonotonicClock) {
    this.#jwks = jwks;
    this.#monotonicClock = monotonicClock;
  }

  async play(history: readonly Step[]): Promise<void> {
    void this.#cache.prefetch();
    for (const step of history) await this.#take(step);
    // However it went, everything is well soon after the issuer is back.
    const good = { issuer: { state: 'up', latencyMs: 1 }, publish: [0], setBackMs: 0 } as const;
    await this.#take({ ...good, tokens: [], pass: { runMs: LONGEST_REFUSAL_MS } });
    await this.#take({ ...good, tokens: [0], pass: { runMs: FROZEN_MS } });
    if (this.#waiting > 0) this.mismatches.push('a request is never answered');
  }

  async #take({ issuer, tokens, publish, setBackMs = 0, pass }: Step): Promise<void> {
    this.#noteAbsence();
    if (issuer) ({ state: this.#state, latencyMs: this.#latencyMs } = issuer);
    this.#setBackMs += setBackMs;
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

  /** Lets time pass while the process runs, and ends the fetches whose time has come. */
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

  #pass(ms: number): void {
    this.#now += ms;
    if (this.#monotonicClock !== 'moves 3 ms a request') this.#monotonic += ms;
  }

  /** Lets time pass while the process is frozen: its fetch goes on, or has lost its connection. */
  async #freeze(ms: number, cutsConnection: boolean): Promise<void> {
    this.#now += ms;
    if (this.#monotonicClock === 'always moves') this.#monotonic += ms;
    if (this.#fetch === undefined || !cutsConnection) return;
    const { begunAt, cut } = this.#fetch;
    // Nobody can tell it from an issuer that is away.
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
    const { promise, resolve, reject } = Promise.withResolvers<JSONWebKeySet>();
    const keys = this.#jwks.filter((_, key) => this.#since.has(key));
    const fail = () => reject(new Error('away'));
    const isSlow = this.#state === 'slow' || this.#latencyMs >= timeoutMs;
    if (isSlow) this.#awayAt = this.#now;
    this.#fetch = {
      leftMs: isSlow ? timeoutMs : this.#latencyMs,
      begunAt: this.#now,
      end: isSlow || this.#state === 'down' ? fail : () => resolve({ keys: [...keys] }),
      cut: fail,
    };
    return promise;
  }

  async #find(key: number): Promise<string> {
    const { alg = '', kid = '' } = this.#jwks[key] ?? {};
    try {
      await this.#cache.find({ alg, kid }, { payload: '', signature: '' });
      return 'accepted';
    } catch (error) {
      if (error instanceof Problem || error instanceof JWKSNoMatchingKey) return error.code;
      throw error;
    }
  }

  /** Sends a request with a token of a key, and notes what is wrong with its outcome. */
  async #send(key: number): Promise<void> {
    const sentAt = this.#now;
    this.#waiting += 1;
    const outcome = await this.#find(key);
    this.#waiting -= 1;
    this.#noteAbsence();
    const isPublished = this.#since.has(key);
    const withdrawnAgo = isPublished ? 0 : this.#now - (this.#until.get(key) ?? Number.NaN);
    const quietSince = Math.max(
      this.#awayAt,
      outcome === 'unavailable' ? 0 : (this.#since.get(key) ?? sentAt),
    );
    const isExcused = sentAt - quietSince < LONGEST_REFUSAL_MS;
    const wrong =
      outcome === 'accepted'
        ? withdrawnAgo >= CACHE_MS && `a key is accepted ${withdrawnAgo} ms after its withdrawal`
        : !isExcused &&
          `${outcome} ${sentAt - quietSince} ms after the issuer is back or has the key`;
    if (wrong) this.mismatches.push(`at ${this.#now}: ${wrong}`);
  }
}

/** Resolves when everything has come to what it can without more time: no key is imported in a thread. */
const settled = () => new Promise(setImmediate);

describe.each(monotonicClocks)('the cached keys, by a monotonic clock that %s,', (clock) => {
  let jwks: SigningKey['jwk'][];
  beforeAll(async () => {
    const keys = await Promise.all([signingKey(), signingKey(), signingKey()]);
    jwks = keys.map(({ jwk }) => jwk);
  });

  it('refuse no good token for long, and accept no withdrawn key for long', async () => {
    await fc.assert(
      fc.asyncProperty(historiesBy(clock), async (history) => {
        const world = new World(jwks, clock);
        await world.play(history);
        expect(world.mismatches).toEqual([]);
      }),
      { numRuns: 1000 * inject('scale'), seed: inject('seed') },
    );
  });
});
