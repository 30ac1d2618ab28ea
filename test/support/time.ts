import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Clock,
  systemClock,
  systemTimer,
  type Timer,
} from '../../functions/runtime/moment.ts';
import type { StartOptions } from '../../functions/start/start.ts';

const difference = new AsyncLocalStorage<number>();

/** Runs `work`, and all that it starts, by a clock that is so many milliseconds ahead. */
export const byClock = <T>(aheadMs: number, work: () => T): T => difference.run(aheadMs, work);

/** The clock of `byClock`, as each machine has one of its own. */
export const differentClock: Clock = () => {
  const { date, monotonic } = systemClock();
  return { date: date + (difference.getStore() ?? 0), monotonic };
};

/** The timeout of the functions, and how much of it must be left, in milliseconds. */
export const LAMBDA_MS = 6000;
export const LEFT_MS = 500;

/** Limits of functions that no busy machine reaches, in milliseconds. */
export const longLimits = {
  database: { connect: 60_000, request: 60_000 },
  issuer: 60_000,
};

/** The limits of a DynamoDB request, in milliseconds. No pause between two attempts has one of these lengths. */
const DATABASE_LIMITS_MS = [500, 1000];
/** A longer time is the limit of an invocation. */
const LONGEST_PAUSE_MS = 2000;

/** The time of one call of a function. It passes only in its pauses, and when a limit is reached. */
class ControlledTime {
  elapsedMs = 0;
  readonly #limits = new Set<{ endsAt: number; end: () => void }>();

  /** Lets the time pass until the first limit of what is under way, which is over then. */
  reachLimit(): void {
    const [first] = [...this.#limits].sort((one, other) => one.endsAt - other.endsAt);
    if (first === undefined) return;
    this.#limits.delete(first);
    this.elapsedMs = first.endsAt;
    first.end();
  }

  timer: Timer = (ms, end) => {
    if (!DATABASE_LIMITS_MS.includes(ms) && ms <= LONGEST_PAUSE_MS) {
      this.elapsedMs += ms;
      return systemTimer(0, end);
    }
    const limit = { endsAt: this.elapsedMs + ms, end };
    this.#limits.add(limit);
    return () => this.#limits.delete(limit);
  };
}

const current = new AsyncLocalStorage<ControlledTime>();

/** Runs calls of functions, each by a time of its own. */
export interface ControlledTimes {
  /** What the functions must be started with. */
  options: StartOptions;
  /** The proxy's listener for requests that it leaves without a response. */
  onEndless(body: string): void;
  /**
   * Runs a call whose requests to the database hold `name`.
   * @returns its result, and the milliseconds that it took by its time.
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
      timer: (ms, end) => (current.getStore()?.timer ?? systemTimer)(ms, end),
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
