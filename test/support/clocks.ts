import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, systemClock } from '../../functions/runtime/moment.ts';

const difference = new AsyncLocalStorage<number>();

/** Runs `work`, and all that it starts, by a clock that is so many milliseconds ahead. */
export const byClock = <T>(aheadMs: number, work: () => T): T => difference.run(aheadMs, work);

/** The clock of `byClock`, as each machine has one of its own. */
export const differentClock: Clock = () => {
  const { date, monotonic } = systemClock();
  return { date: date + (difference.getStore() ?? 0), monotonic };
};
