import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../../../infra/commands/cli/concurrency-limit.ts';

/** The time after which the slow work ends, in milliseconds. */
const SLOW_MS = 20;

describe('a limit on work that runs at once', () => {
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
