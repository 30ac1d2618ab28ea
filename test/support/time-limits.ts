import { afterAll, beforeAll } from 'vitest';

/** The limits of a function by what it waits for. */
export type TimeLimit = 'database' | 'issuer';

const FACTOR = 60;
/** The shortest limit of a function in milliseconds. Shorter timers, as those of retries, stay as they are. */
const SHORTEST_MS = 500;

/**
 * Makes the time limits of the functions sixty times as long for the tests of a file, so that a busy
 * machine does not turn another answer into a time-out. The entries take no limits; but each limit is a
 * timer, of `setTimeout` for the database and of `AbortSignal.timeout` for the issuer's keys.
 * @param real the limits that the tests are about, which stay as they are.
 */
export function useLongTimeLimits(real: readonly TimeLimit[] = []): void {
  const { setTimeout } = globalThis;
  const { timeout } = AbortSignal;
  beforeAll(() => {
    if (!real.includes('issuer')) {
      AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms * FACTOR);
    }
    if (!real.includes('database')) globalThis.setTimeout = stretched(setTimeout);
  });
  afterAll(() => {
    globalThis.setTimeout = setTimeout;
    AbortSignal.timeout = timeout;
  });
}

/** A proxy, because Node.js keeps other members on the function. */
const stretched = (setTimeout: typeof globalThis.setTimeout) =>
  new Proxy(setTimeout, {
    apply: (target, self, [callback, ms = 0, ...rest]) =>
      Reflect.apply(target, self, [callback, ms < SHORTEST_MS ? ms : ms * FACTOR, ...rest]),
  });
