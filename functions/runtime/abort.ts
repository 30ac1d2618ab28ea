import { addAbortListener } from 'node:events';
import { unavailable } from '../contract/problem.ts';

/** The number of ticks (equal intervals) into which `abortAfterTicks` divides its time limit. */
const TICKS = 10;

/**
 * Returns a signal that aborts after `ms` milliseconds, which are counted in ten ticks. Disposing of the result stops
 * the timer.
 *
 * If the event loop is blocked, for example because a cold start compiles code, the whole block counts as one tick. A
 * response may arrive during the block. After the block, the process can read this response before the signal aborts.
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
 * @throws Problem `unavailable` as soon as `signal` is aborted; otherwise the error of `work`.
 */
export async function withinTime<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw unavailable('timeLimit');
  const { promise: over, reject } = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => reject(unavailable('timeLimit')));
  return await Promise.race([work(), over]);
}
