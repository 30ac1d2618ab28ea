import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, vi } from 'vitest';

const difference = new AsyncLocalStorage<number>();

/** Runs `work`, and all that it starts, by a clock that is so many milliseconds ahead. */
export const byClock = <T>(aheadMs: number, work: () => T): T => difference.run(aheadMs, work);

/** Lets the tests of a file run parts of one process by different clocks, as machines have them. */
export function useDifferentClocks(): void {
  const TrueDate = Date;
  const now = () => TrueDate.now() + (difference.getStore() ?? 0);
  // A proxy, so that `Date` stays the constructor of its instances.
  const OwnDate = new Proxy(TrueDate, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  beforeAll(() => {
    vi.stubGlobal('Date', OwnDate);
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });
}
