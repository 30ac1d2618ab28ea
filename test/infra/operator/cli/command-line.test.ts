import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirm } from '../../../../infra/operator/cli/confirmation.ts';
import { explain } from '../../../../infra/operator/cli/failure.ts';

describe('a confirmation', () => {
  async function ask(typed: string, expected = 'c-1') {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    stdin.end(typed);
    const outcome = await confirm('Removes it.', expected, { stdin, stderr }).catch(
      (error) => error,
    );
    return { outcome, asked: String(stderr.read() ?? '') };
  }

  it.each(['', '\n', 'y\n', 'c-1 \n', 'C-1\n', '\nc-1\n'])(
    'is refused if the operator types %j',
    async (typed) => {
      expect((await ask(typed)).outcome).toMatchObject({
        message: expect.stringContaining('Not confirmed'),
      });
    },
  );
});

describe('the explanation of a failure', () => {
  const ofSdk = (name: string, message = 'x') =>
    Object.assign(new Error(message), { name, $metadata: {} });

  it.each([
    ['a missing table', ofSdk('ResourceNotFoundException', 'No table t.'), 'No table t.'],
    ['a new index', ofSdk('ValidationException', 'Cannot read from backfilling x.'), '--scan'],
    ['an expired login', ofSdk('CredentialsProviderError', 'Log in again.'), 'Log in again.'],
  ])('shows the message about %s', (_, error, explanation) => {
    expect(explain(error)).toContain(explanation);
  });

  it.each(['ValidationException', 'SyntaxError'])(
    'hides the message of a %s of the SDK, because the message may quote a record',
    (name) => {
      expect(explain(ofSdk(name, 'The value canary@example.com is wrong'))).not.toContain('canary');
    },
  );
});
