import { AsyncLocalStorage } from 'node:async_hooks';
import { systemTimer, type Timer } from '../../functions/platform/clock.ts';
import type { StartOptions } from '../../functions/start/start.ts';

/** The functions' timeout, and what must be left of it after a response. */
export const LAMBDA_MS = 6000;
export const LEFT_MS = 500;

/** Milliseconds; even a busy machine does not reach these limits. */
export const longLimits = {
  database: { connect: 60_000, request: 60_000 },
  issuer: 60_000,
};

class ControlledTime {
  elapsedMs = 0;
  readonly #limits = new Set<{ endsAt: number; end: () => void }>();

  reachLimit(): void {
    const first = this.#firstLimit();
    if (first === undefined) return;
    this.#limits.delete(first);
    this.elapsedMs = first.endsAt;
    first.end();
  }

  /** Pauses take only virtual time. If a time limit would end before the pause, the limit is reached instead. */
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

interface ControlledTimes {
  options: StartOptions;
  /** For the proxy's `onEndless`. */
  onEndless(body: string): void;
  /** `name` must occur in all database requests of the call. The elapsed time is virtual. */
  run<T>(name: string, call: () => Promise<T>): Promise<[result: T, elapsedMs: number]>;
}

/**
 * Virtual time limits, independent of how busy the machine is: pauses take no real time, and a limit is reached only
 * within a pause, or once the proxy leaves a request without a response.
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
