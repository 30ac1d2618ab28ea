import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Clock,
  systemClock,
  systemTimer,
  type Timer,
} from '../../functions/platform/clock.ts';
import type { StartOptions } from '../../functions/start/start.ts';

const difference = new AsyncLocalStorage<number>();

/** Runs `work`, and everything that it starts, with a clock that is `aheadMs` milliseconds ahead. */
export const byClock = <T>(aheadMs: number, work: () => T): T => difference.run(aheadMs, work);

/** The clock that `byClock` sets, which stands for the clock of another machine. */
export const differentClock: Clock = () => {
  const { date, monotonic } = systemClock();
  return { date: date + (difference.getStore() ?? 0), monotonic };
};

/** The functions' timeout, and the part of it that must be left after a response, in milliseconds. */
export const LAMBDA_MS = 6000;
export const LEFT_MS = 500;

/** Time limits that no busy machine reaches, in milliseconds. */
export const longLimits = {
  database: { connect: 60_000, request: 60_000 },
  issuer: 60_000,
};

/** The virtual time of one call of a function. It passes only during pauses, and when a time limit is reached. */
class ControlledTime {
  elapsedMs = 0;
  readonly #limits = new Set<{ endsAt: number; end: () => void }>();

  /** Lets the time pass until the first time limit, and ends the work under way that has this limit. */
  reachLimit(): void {
    const first = this.#firstLimit();
    if (first === undefined) return;
    this.#limits.delete(first);
    this.elapsedMs = first.endsAt;
    first.end();
  }

  /** Ends a pause at once, or reaches the time limit that ends before the pause. */
  timer: Timer = (name, ms, end) => {
    const endsAt = this.elapsedMs + ms;
    if (name !== 'pause') {
      const limit = { endsAt, end };
      this.#limits.add(limit);
      return () => this.#limits.delete(limit);
    }
    const first = this.#firstLimit();
    if (first !== undefined && first.endsAt <= endsAt) {
      return systemTimer(name, 0, () => this.reachLimit());
    }
    this.elapsedMs = endsAt;
    return systemTimer(name, 0, end);
  };

  #firstLimit() {
    const [first] = [...this.#limits].sort((one, other) => one.endsAt - other.endsAt);
    return first;
  }
}

const current = new AsyncLocalStorage<ControlledTime>();

/** An object that runs calls of functions, each in its own virtual time. */
interface ControlledTimes {
  /** What the functions must be started with. */
  options: StartOptions;
  /** The proxy's listener for requests that it leaves without a response. */
  onEndless(body: string): void;
  /**
   * Runs a call whose database requests contain `name`.
   * @returns the call's result, and its duration in virtual milliseconds.
   */
  run<T>(name: string, call: () => Promise<T>): Promise<[result: T, elapsedMs: number]>;
}

/**
 * Returns times that tests control, so that a busy machine changes nothing. A limit is reached when the proxy leaves a
 * request without a response, and at no other time. The pauses between attempts are over at once.
 */
export function controlledTimes(): ControlledTimes {
  const times = new Map<string, ControlledTime>();
  const { database: _, ...limits } = { ...longLimits };
  return {
    options: {
      timer: (name, ms, end) => (current.getStore()?.timer ?? systemTimer)(name, ms, end),
      limits,
    },
    onEndless: (body) => {
      for (const [name, time] of times) if (body.includes(name)) time.reachLimit();
    },
    async run(name, call) {
      const time = new ControlledTime();
      times.set(name, time);
      const result = await current.run(time, call);
      times.delete(name);
      return [result, time.elapsedMs];
    },
  };
}
