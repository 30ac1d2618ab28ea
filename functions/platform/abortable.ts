import { addAbortListener } from 'node:events';
import { unavailable } from '../contract/problem.ts';

const TICKS = 10;

/**
 * Counts `ms` in ten ticks. If the event loop is blocked, for example while a cold start compiles code, that counts as
 * one tick. So a response that arrived meanwhile is read before the signal aborts.
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

/** @throws Problem `unavailable` as soon as `signal` is aborted; otherwise the error of `work`. */
export async function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw unavailable('timeLimit');
  const { promise: over, reject } = Promise.withResolvers<never>();
  // Removed at the end, because Node.js keeps the signal in memory as long as it has a listener.
  using _listener = addAbortListener(signal, () => reject(unavailable('timeLimit')));
  return await Promise.race([work(), over]);
}
