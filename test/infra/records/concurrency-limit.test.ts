import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit, MAX_REQUESTS } from '../../../infra/records/concurrency-limit.ts';

const SLOW_MS = 20;

describe('a limit on work that runs at once', () => {
  it('begins more work as soon as one piece of work has ended', async () => {
    const limit = new ConcurrencyLimit();
    const first = Promise.withResolvers<void>();
    const others = Promise.withResolvers<void>();
    await limit.begin(() => first.promise);
    for (let begun = 1; begun < MAX_REQUESTS; begun += 1) await limit.begin(() => others.promise);
    let hasBegun = false;
    const more = limit.begin(async () => {
      hasBegun = true;
    });
    await setImmediate();
    expect(hasBegun).toBe(false);
    first.resolve();
    await more;
    expect(hasBegun).toBe(true);
    others.resolve();
    await limit.settle();
  });

  it('begins no more work after a failure', async () => {
    const limit = new ConcurrencyLimit();
    await limit.begin(() => Promise.reject('Failed.'));
    await setImmediate();
    await expect(limit.begin(() => expect.unreachable())).rejects.toBe('Failed.');
  });

  it('settles when all work has ended, even after a failure', async () => {
    const limit = new ConcurrencyLimit();
    const [failing, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await limit.begin(() => failing.promise);
    await limit.begin(() => slow.promise);
    const ended: string[] = [];
    const settled = limit.settle().catch((reason) => ended.push(`settled: ${reason}`));
    failing.reject('Failed.');
    setTimeout(() => {
      ended.push('slow');
      slow.resolve();
    }, SLOW_MS);
    await settled;
    expect(ended).toEqual(['slow', 'settled: Failed.']);
  });
});
