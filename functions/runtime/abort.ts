import { addAbortListener } from 'node:events';
import { unavailable } from '../contract/problem.ts';

/** The number of ticks into which `abortAfterTicks` divides its time. */
const TICKS = 10;

/**
 * Returns a signal that aborts after `ms` milliseconds in which the event loop runs. Disposing of the signal stops
 * its timer.
 *
 * If the event loop is blocked, for example because a cold start compiles code, the block counts as one tick,
 * however long it lasts. A response that arrived during the block can then be read before the signal aborts.
 */
export function abortAfterTicks(ms: number): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === TICKS) controller.abort(new DOMException(`More than ${ms} ms.`, 'TimeoutError'));
  }, ms / TICKS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Runs `work` and returns its result. If `signal` is already aborted, does not start `work`.
 * @throws Problem `unavailable` as soon as `signal` is aborted.
 */
export async function withinTime<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw unavailable('timeLimit');
  const { promise: over, reject } = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => reject(unavailable('timeLimit')));
  return await Promise.race([work(), over]);
}
