import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { abortable } from '../../../functions/platform/abortable.ts';

it.each([
  ['succeeds', async () => 'done', 'done'],
  ['fails', () => Promise.reject(new Error('invented')), 'invented'],
])('work that %s leaves no listener on the signal', async (_, work, outcome) => {
  const { signal } = new AbortController();
  const result = abortable(work, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  expect(await result.catch((error: Error) => error.message)).toBe(outcome);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('work does not begin if the signal is already aborted', async () => {
  const work = abortable(() => expect.fail('It has begun.'), AbortSignal.abort());
  await expect(work).rejects.toMatchObject({ code: 'unavailable' });
});
