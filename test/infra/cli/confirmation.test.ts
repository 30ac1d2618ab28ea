import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WrongUsage } from '../../../infra/cli/command.ts';
import { confirm, NotConfirmed } from '../../../infra/cli/confirmation.ts';

/** Asks an operator who types this, at a terminal or not. */
async function ask(typed: string, expected = 'c-1', isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  input.end(typed);
  const answer = await confirm('Removes it.', expected, { input, output }).catch((error) => error);
  return { answer, asked: String(output.read() ?? '') };
}

describe('a confirmation', () => {
  it('says what is about to happen, and what to type', async () => {
    const { asked } = await ask('c-1\n');
    expect(asked).toContain('Removes it.\nType c-1 to go on: ');
  });

  it.each([
    ['c-1\n', 'c-1'],
    ['c-1', 'c-1'],
    [' é求#\nmore\n', ' é求#'],
  ])('is %j, where it is to be %j', async (typed, expected) => {
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
