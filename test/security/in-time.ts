import { expect } from 'vitest';

/** The time that Lambda gives the functions, and what must be left of it (milliseconds). */
export const LAMBDA_MS = 6000;
const LEFT_MS = 500;

/**
 * What `call` answers, which must be 500 ms before Lambda's time-out. A timer tells the time, and no
 * clock: a busy machine delays it as it delays the timers of the function.
 */
export async function inTime<T>(call: () => Promise<T>, what = ''): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
  }, LAMBDA_MS - LEFT_MS);
  const answer = await call();
  clearTimeout(timer);
  expect(isLate, what).toBe(false);
  return answer;
}
