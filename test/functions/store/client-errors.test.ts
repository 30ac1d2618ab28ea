import { describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { translateError } from '../../../functions/store/client.ts';

const translated = (code: unknown) => translateError(Object.assign(new Error(), { code }));

describe('an error on the way to the database', () => {
  it.each(['EPROTO', 'HPE_INVALID_CONSTANT'])('of the code %s is temporary', (code) => {
    expect(translated(code)).toMatchObject({
      code: 'unavailable',
      options: { cause: { code } },
    });
  });

  it.each(['EPROTONOSUPPORT', 'E_HPE_', 'ERR_INVALID_ARG_TYPE', undefined, 7, ['EPROTO']])(
    'of the code %s is not translated',
    (code) => {
      expect(translated(code)).toMatchObject({ name: 'Error', code });
    },
  );

  it('is temporary if the request was aborted', () => {
    const aborted = new DOMException('Aborted.', 'AbortError');
    expect(translateError(aborted)).toMatchObject({
      code: 'unavailable',
      message: problemTypes.unavailable.detail.timeLimit,
    });
  });

  it.each([null, undefined, 'text'])('that is not an Error but %s is not translated', (thrown) => {
    expect(translateError(thrown)).toBe(thrown);
  });
});
