import { describe, expect, it } from 'vitest';
import { explainFailure, ReportableError } from '../../../infra/cli/failure.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

describe('the explanation of a failure', () => {
  it.each([
    ['an error of ours', new ReportableError('Try again later.'), 'Try again later.'],
    ['a missing table', named('ResourceNotFoundException', 'x'), 'recruitment'],
    ['a missing region', new Error('Region is missing'), '--region'],
    ['missing credentials', new Error('Could not load credentials from any'), 'AWS_PROFILE'],
    [
      'a missing permission',
      named('AccessDeniedException', 'User u is not authorized.'),
      'AccessDeniedException: User u is not authorized.',
    ],
    [
      'an expired login',
      named('CredentialsProviderError', 'The SSO session has expired.'),
      'CredentialsProviderError: The SSO session has expired.',
    ],
    ['an unreadable file', Object.assign(new Error('EIO: read'), { code: 'EIO' }), 'EIO'],
  ])('shows what helps with %s', (_, error, explanation) => {
    expect(explainFailure(error, 'recruitment')).toContain(explanation);
  });

  it.each([
    named('ValidationException', 'The value canary@example.com is wrong'),
    new SyntaxError('Unexpected token c, "canary@example.com" is not valid JSON'),
    'canary@example.com',
  ])('does not show a message that may quote a record', (error) => {
    expect(explainFailure(error, 'recruitment')).not.toContain('canary');
  });
});
