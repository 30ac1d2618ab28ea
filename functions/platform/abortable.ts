import { addAbortListener } from 'node:events';
import { unavailable } from '../contract/problem.ts';

const TICKS = 10;

/**
 * Aborts after ten ticks of `ms / 10`. Time in which the event loop is blocked, such as while a cold start compiles
 * code, counts as one tick, so a response that arrived meanwhile is read before the abort.
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

/** @throws Problem `unavailable` as soon as `signal` aborts; otherwise what `work` throws. */
export async function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw unavailable('timeLimit');
  const { promise: over, reject } = Promise.withResolvers<never>();
  // `using` removes the listener: Node.js keeps a signal in memory as long as it has one.
  using _listener = addAbortListener(signal, () => reject(unavailable('timeLimit')));
  return await Promise.race([work(), over]);
}
