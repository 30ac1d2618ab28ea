import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { withinTime } from '../../../functions/runtime/time-limit.ts';

// Node.js keeps a signal with a listener, and its timer, until it is aborted: seconds after the response.
it.each([
  ['is done', async () => 'done', 'done'],
  ['fails', () => Promise.reject(new Error('invented')), 'invented'],
])('work that %s leaves no listener on the signal', async (_, work, outcome) => {
  const { signal } = new AbortController();
  const result = withinTime(work, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  expect(await result.catch((error: Error) => error.message)).toBe(outcome);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
