import { addAbortListener } from 'node:events';
import { unavailable } from '../contract/problem.ts';

/** The precision of `abortAfterTicks`. */
const TICKS = 10;

/**
 * Aborts its signal after `ms` milliseconds in which the event loop runs. However long the loop is blocked,
 * for example by compilation in a cold start, it counts as one tick: a response may be waiting to be read.
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
 * The result of `work`; the problem `unavailable` as soon as `signal` is aborted. If it already is, `work`
 * does not start.
 */
export async function withinTime<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw unavailable('timeLimit');
  const { promise: over, reject } = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => reject(unavailable('timeLimit')));
  return await Promise.race([work(), over]);
}
