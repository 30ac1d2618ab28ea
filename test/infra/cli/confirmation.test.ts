import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WrongUsage } from '../../../infra/cli/command.ts';
import { confirm, NotConfirmed } from '../../../infra/cli/confirmation.ts';

/** Asks an operator who types this, on a terminal or not. */
async function ask(typed: string, expected = 'c-1', isTTY = true) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = new PassThrough();
  stdin.end(typed);
  const answer = await confirm('Removes it.', expected, { stdin, stderr }).catch((error) => error);
  return { answer, asked: String(stderr.read() ?? '') };
}

describe('a confirmation', () => {
  it('shows the warning, and what to type', async () => {
    const { asked } = await ask('c-1\n');
    expect(asked).toMatch(/^Removes it\.\n.*c-1/);
  });

  it.each([
    ['c-1\n', 'c-1'],
    ['c-1', 'c-1'],
    [' é求#\nmore\n', ' é求#'],
  ])('is %j, if it has to be %j', async (typed, expected) => {
    expect((await ask(typed, expected)).answer).toBeUndefined();
  });

  it.each(['', '\n', 'y\n', 'c-1 \n', 'C-1\n', 'c-11\n', '\nc-1\n', 'no\nc-1\n'])(
    'is not %j',
    async (typed) => {
      expect((await ask(typed)).answer).toBeInstanceOf(NotConfirmed);
    },
  );

  it('cannot be piped in', async () => {
    const { answer, asked } = await ask('c-1\n', 'c-1', false);
    expect(answer).toBeInstanceOf(WrongUsage);
    expect(asked).toBe('');
  });
});
