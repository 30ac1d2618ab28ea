import { afterAll, beforeAll } from 'vitest';

/** The limits of a function by what it waits for. */
export type TimeLimit = 'database' | 'issuer';

const FACTOR = 60;
/** The shortest limit of a function in milliseconds. Shorter timers, as those of retries, stay as they are. */
const SHORTEST_MS = 500;

/**
 * Makes the time limits of the functions sixty times as long for the tests of a file, so that a busy
 * machine does not turn another answer into a time-out. The entries take no limits; but each limit is a
 * timer, of `setTimeout` for the database and of `setInterval` for the issuer's keys.
 * @param real the limits that the tests are about, which stay as they are.
 */
export function useLongTimeLimits(real: readonly TimeLimit[] = []): void {
  const { setInterval, setTimeout } = globalThis;
  beforeAll(() => {
    if (!real.includes('issuer')) globalThis.setInterval = stretched(setInterval, 0);
    if (!real.includes('database')) globalThis.setTimeout = stretched(setTimeout, SHORTEST_MS);
  });
  afterAll(() => {
    globalThis.setInterval = setInterval;
    globalThis.setTimeout = setTimeout;
  });
}

/** A proxy, because Node.js keeps other members on the function. Timers below `from` ms stay as they are. */
const stretched = <Timer extends typeof globalThis.setTimeout | typeof globalThis.setInterval>(
  timer: Timer,
  from: number,
): Timer =>
  new Proxy(timer, {
    apply: (target, self, [callback, ms = 0, ...rest]) =>
      Reflect.apply(target, self, [callback, ms < from ? ms : ms * FACTOR, ...rest]),
  });
