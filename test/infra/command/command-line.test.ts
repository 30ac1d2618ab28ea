import { describe, expect, it } from 'vitest';
import { explain } from '../../../infra/command/failure.ts';

describe('the explanation of a failure', () => {
  const ofSdk = (name: string, message = 'x') =>
    Object.assign(new Error(message), { name, $metadata: {} });

  it.each([
    ['a missing table', ofSdk('ResourceNotFoundException', 'No table t.'), 'No table t.'],
    ['a new index', ofSdk('ValidationException', 'Cannot read from backfilling x.'), '--scan'],
    [
      'a cancelled transaction',
      ofSdk('TransactionCanceledException', 'Transaction cancelled [TransactionConflict, None]'),
      'TransactionConflict',
    ],
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
