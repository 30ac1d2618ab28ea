import { describe, expect, it } from 'vitest';
import { TableBusy } from '../../../../infra/operations/import/batch-writer.ts';
import { explainFailure } from '../../../../infra/operations/import/explain-failure.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

describe('the explanation of a failure', () => {
  it.each([
    [
      'a table that stays busy',
      new TableBusy(10, named('ThrottlingException', 'x')),
      'DynamoDB has written nothing in 10 tries in a row. The last answer: ThrottlingException. ' +
        'Try again later.',
    ],
    [
      'a batch that stays unprocessed',
      new TableBusy(10, undefined),
      'DynamoDB has written nothing in 10 tries in a row. The last answer: unprocessed items. ' +
        'Try again later.',
    ],
    [
      'a table that does not exist',
      named('ResourceNotFoundException', 'x'),
      'There is no table recruitment in this account and region.',
    ],
    [
      'a right that is missing',
      named('AccessDeniedException', 'User u is not authorized.'),
      'AccessDeniedException: User u is not authorized.',
    ],
    [
      'a login that has ended',
      named('CredentialsProviderError', 'The SSO session has expired.'),
      'CredentialsProviderError: The SSO session has expired.',
    ],
    [
      'a file that cannot be read',
      Object.assign(new Error('EIO: read'), { code: 'EIO' }),
      'It failed with EIO.',
    ],
  ])('tells of %s', (_, error, explanation) => {
    expect(explainFailure(error, 'recruitment')).toBe(explanation);
  });

  it.each([
    named('ValidationException', 'The value canary@example.com is wrong'),
    new SyntaxError('Unexpected token c, "canary@example.com" is not valid JSON'),
    new TableBusy(10, new SyntaxError('"canary@example.com" is not valid JSON')),
    'canary@example.com',
  ])('does not quote what may quote a record', (error) => {
    expect(explainFailure(error, 'recruitment')).not.toContain('canary');
  });
});
