import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inParallel, MAX_REQUESTS } from '../../../../infra/data/records/in-parallel.ts';

describe('work in parallel', () => {
  const items = Array.from({ length: MAX_REQUESTS + 2 }, (_, at) => at);

  function begin(signal?: AbortSignal) {
    const pieces: PromiseWithResolvers<void>[] = [];
    const work = () => {
      const piece = Promise.withResolvers<void>();
      pieces.push(piece);
      return piece.promise;
    };
    let end: unknown;
    const ended = inParallel(items, work, signal).catch((error) => {
      end = error;
    });
    return { pieces, ended, endedWith: () => end };
  }

  it('begins more as soon as one piece has ended', async () => {
    const { pieces, ended } = begin();
    expect(pieces).toHaveLength(MAX_REQUESTS);
    pieces.at(7)?.resolve();
    await setImmediate();
    expect(pieces).toHaveLength(MAX_REQUESTS + 1);
    pieces.at(-1)?.resolve();
    await setImmediate();
    for (const { resolve } of pieces) resolve();
    await ended;
    expect(pieces).toHaveLength(items.length);
  });

  it.each(['failure', 'signal'])(
    'begins no more after a %s, and ends with the last',
    async (how) => {
      const controller = new AbortController();
      const { pieces, ended, endedWith } = begin(controller.signal);
      if (how === 'failure') pieces.at(7)?.reject('Stopped.');
      else controller.abort('Stopped.');
      for (const { resolve } of pieces.slice(1)) resolve();
      await setImmediate();
      expect(endedWith()).toBeUndefined();
      pieces.at(0)?.resolve();
      await ended;
      expect([endedWith(), pieces.length]).toEqual(['Stopped.', MAX_REQUESTS]);
    },
  );
});
