import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, vi } from 'vitest';
import type { StartOptions } from '../../functions/start/start.ts';
import type { FaultyProxy } from './proxy.ts';

/** The limits of a function by what it waits for. */
export type TimeLimit = 'database' | 'issuer';

const FACTOR = 60;

/**
 * The limits of a start option: those that tests are not about are sixty times as long, so that a busy
 * machine does not turn another answer into a time-out.
 */
export const limitsOf = (real: readonly TimeLimit[]): NonNullable<StartOptions['limits']> => ({
  ...(!real.includes('database') && {
    database: { connect: 500 * FACTOR, request: 1000 * FACTOR },
  }),
  ...(!real.includes('issuer') && { issuer: 3000 * FACTOR }),
});

/** The limits of a request to the database, in milliseconds. No pause between two attempts has one of these lengths. */
const DATABASE_LIMITS_MS = [500, 1000];
/** Of the longest pause that the SDK may choose. */
const LONGEST = 0.999;

/** The time of one call of a function. It passes only in its pauses, and when a limit is reached. */
class ControlledTime {
  elapsedMs = 0;
  readonly #limits = new Map<NodeJS.Timeout, { endsAt: number; end: () => void }>();

  /** Lets the time pass until the first limit of what is under way, which is over then. */
  reachLimit(): void {
    const [first] = [...this.#limits].sort(([, one], [, other]) => one.endsAt - other.endsAt);
    if (first === undefined) return;
    const [timer, { endsAt, end }] = first;
    clearTimeout(timer);
    this.elapsedMs = endsAt;
    end();
  }

  add(timer: NodeJS.Timeout, ms: number, end: () => void): void {
    this.#limits.set(timer, { endsAt: this.elapsedMs + ms, end });
  }

  remove(timer: NodeJS.Timeout): void {
    this.#limits.delete(timer);
  }
}

const current = new AsyncLocalStorage<ControlledTime>();

/** Runs calls of functions, each by a time of its own. */
export interface ControlledTimes {
  /**
   * Runs a call whose requests to the database hold `name`.
   * @returns its result, and the milliseconds that it took by its time.
   */
  run<T>(name: string, call: () => Promise<T>): Promise<[result: T, elapsedMs: number]>;
}

/**
 * Lets the tests of a file control the time of requests to the database, however busy the machine is:
 * a limit is reached when the proxy leaves a request without an answer, and at no other time. The SDK's pauses
 * between attempts count as the longest that it may choose, and are over at once.
 */
export function useControlledTime(service: { proxy: FaultyProxy }): ControlledTimes {
  const times = new Map<string, ControlledTime>();
  const timeOf = new WeakMap<NodeJS.Timeout, ControlledTime>();
  let restore: () => void;
  beforeAll(() => {
    service.proxy.onEndless = (body) => {
      for (const [name, time] of times) if (body.includes(name)) time.reachLimit();
    };
    const { setTimeout, clearTimeout } = globalThis;
    const random = vi.spyOn(Math, 'random').mockReturnValue(LONGEST);
    globalThis.setTimeout = new Proxy(setTimeout, {
      apply(target, self, [callback, ms = 0, ...rest]) {
        const time = current.getStore();
        if (time === undefined) return Reflect.apply(target, self, [callback, ms, ...rest]);
        if (!DATABASE_LIMITS_MS.includes(ms)) {
          time.elapsedMs += ms;
          return Reflect.apply(target, self, [callback, 0, ...rest]);
        }
        const timer = Reflect.apply(target, self, [callback, ms * FACTOR, ...rest]);
        timeOf.set(timer, time);
        time.add(timer, ms, () => callback(...rest));
        return timer;
      },
    });
    globalThis.clearTimeout = (timer) => {
      if (typeof timer === 'object') timeOf.get(timer)?.remove(timer);
      clearTimeout(timer);
    };
    restore = () => {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      random.mockRestore();
    };
  });
  afterAll(() => restore());
  return {
    async run(name, call) {
      const time = new ControlledTime();
      times.set(name, time);
      const result = await current.run(time, call);
      times.delete(name);
      return [result, time.elapsedMs];
    },
  };
}
