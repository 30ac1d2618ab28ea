import { Problem, problemTypes } from '../contract/problem.ts';

/** The problem if the time of an invocation is over before a change was tried. */
export const timeIsUp = (cause?: unknown) =>
  new Problem('unavailable', {
    detail: problemTypes.unavailable.detail.timeLimit,
    cause,
  });

/**
 * The result of `work`, or the problem that the time is over as soon as `signal` is aborted. If it already
 * is, `work` does not begin.
 */
export async function withinTime<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw timeIsUp();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = () => reject(timeIsUp());
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work(), over]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
