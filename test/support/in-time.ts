import { expect } from 'vitest';

/** The time-out of the functions, and how much of it must be left, in milliseconds. */
export const LAMBDA_MS = 6000;
export const LEFT_MS = 500;

/**
 * What `call` answers, which must be 500 ms before Lambda's time-out, `limitMs` after the call. A timer tells the time, and no
 * clock: a busy machine delays it as it delays the timers of the function.
 */
export async function inTime<T>(
  call: () => Promise<T>,
  what = '',
  limitMs = LAMBDA_MS,
): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
  }, limitMs - LEFT_MS);
  const answer = await call();
  clearTimeout(timer);
  expect(isLate, what).toBe(false);
  return answer;
}
