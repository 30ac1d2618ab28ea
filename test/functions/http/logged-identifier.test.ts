import { describe, expect, it } from 'vitest';
import { loggedIdentifier } from '../../../functions/http/logged-identifier.ts';

describe('an identifier in the log', () => {
  it('is as it is, or a hash where it is an e-mail address or a telephone number', () => {
    expect(loggedIdentifier('gh:4007')).toBe('gh:4007');
    expect(loggedIdentifier('ana@example.com')).toBe('sha256:8e43ca37701228e7');
    expect(loggedIdentifier('+5511555501010')).toMatch(/^sha256:[\da-f]{16}$/);
  });

  it.each([[''], ['a\nb'], ['x'.repeat(257)], ['\ud800'], [undefined], [7], [['c-1']]])(
    'is left out where it is none: %j',
    (value) => {
      expect(loggedIdentifier(value)).toBeUndefined();
    },
  );
});
