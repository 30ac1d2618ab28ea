import { describe, expect, it } from 'vitest';
import { Window } from '../../../../infra/commands/cli/window.ts';

/** The time after which the slow work ends, in milliseconds. */
const SLOW_MS = 20;

describe('a window of work', () => {
  it('settles when all work has ended, even after a failure', async () => {
    const window = new Window();
    const [failing, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await window.begin(() => failing.promise);
    await window.begin(() => slow.promise);
    const ended: string[] = [];
    const settled = window.settle().catch((reason) => ended.push(`settled: ${reason}`));
    failing.reject('Failed.');
    setTimeout(() => {
      ended.push('slow');
      slow.resolve();
    }, SLOW_MS);
    await settled;
    expect(ended).toEqual(['slow', 'settled: Failed.']);
  });
});
