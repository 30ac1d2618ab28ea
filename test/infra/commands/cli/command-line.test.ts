import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Command, readOptions } from '../../../../infra/commands/cli/command.ts';
import { confirm } from '../../../../infra/commands/cli/confirmation.ts';
import { explain } from '../../../../infra/commands/cli/failure.ts';
import { runCommand } from '../../../support/operator-command.ts';

describe('a command line', () => {
  const options = { table: { type: 'string' }, yes: { type: 'boolean' } } as const;
  const command: Command = {
    usage: 'Usage: x\n',
    run: ({ args }) => void readOptions({ args, options }),
  };

  it.each([
    [['--tabel', 'x'], "Unknown option '--tabel'"],
    [['x'], "Unexpected argument 'x'. This command does not take positional arguments"],
    [['--table'], "Option '--table <value>' argument missing"],
    [['--table', ''], '--table needs a value.'],
    [['--yes=no'], "Option '--yes' does not take an argument"],
  ])('%j is told what is wrong, with exit code 2', async (args, message) => {
    const { exitCode, err } = await runCommand(command, args);
    expect([exitCode, err.split('\n')[0]]).toEqual([2, message]);
  });
});

describe('a confirmation', () => {
  /** Asks an operator who types this, on a terminal. */
  async function ask(typed: string, expected = 'c-1') {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    stdin.end(typed);
    const answer = await confirm('Removes it.', expected, { stdin, stderr }).catch(
      (error) => error,
    );
    return { answer, asked: String(stderr.read() ?? '') };
  }

  it.each(['c-1\n', 'c-1'])('is %j, after the warning and what to type', async (typed) => {
    const { answer, asked } = await ask(typed);
    expect(answer).toBeUndefined();
    expect(asked).toMatch(/^Removes it\.\n.*c-1/);
  });

  it.each(['', '\n', 'y\n', 'c-1 \n', 'C-1\n', '\nc-1\n'])('is not %j', async (typed) => {
    expect((await ask(typed)).answer).toMatchObject({
      message: expect.stringContaining('Not confirmed'),
    });
  });
});

describe('the explanation of a failure', () => {
  const ofSdk = (name: string, message = 'x') =>
    Object.assign(new Error(message), { name, $metadata: {} });

  it.each([
    ['an error of ours', new Error('Try again later.'), 'Try again later.'],
    ['a missing table', ofSdk('ResourceNotFoundException', 'No table t.'), 'No table t.'],
    ['a new index', ofSdk('ValidationException', 'Cannot read from backfilling x.'), '--scan'],
    ['an expired login', ofSdk('CredentialsProviderError', 'Log in again.'), 'Log in again.'],
    ['a missing permission', ofSdk('AccessDeniedException', 'u may not.'), 'u may not.'],
  ])('shows what helps with %s', (_, error, explanation) => {
    expect(explain(error)).toContain(explanation);
  });

  it.each(['ValidationException', 'SyntaxError'])(
    'does not show the message of a %s of the SDK, which may quote a record',
    (name) => {
      expect(explain(ofSdk(name, 'The value canary@example.com is wrong'))).not.toContain('canary');
    },
  );
});
