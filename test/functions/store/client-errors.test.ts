import { describe, expect, it } from 'vitest';
import { translateErrors } from '../../../functions/store/client.ts';

const failed = (code: unknown) =>
  translateErrors(Promise.reject(Object.assign(new Error(), { code })));

describe('an error on the way to the database', () => {
  it.each(['EPROTO', 'HPE_INVALID_CONSTANT'])('of the code %s is temporary', async (code) => {
    await expect(failed(code)).rejects.toMatchObject({
      code: 'unavailable',
      options: { retryAfter: 1, cause: { code } },
    });
  });

  it.each(['EPROTONOSUPPORT', 'E_HPE_', 'ERR_INVALID_ARG_TYPE', undefined, 7, ['EPROTO']])(
    'of the code %s is a fault of ours',
    async (code) => {
      await expect(failed(code)).rejects.toMatchObject({ name: 'Error', code });
    },
  );

  it('is temporary where the request was given up', async () => {
    const request = Promise.reject(new DOMException('Given up.', 'AbortError'));
    await expect(translateErrors(request)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([null, undefined, 'text'])('that is no error but %s stays what it is', async (thrown) => {
    await expect(translateErrors(Promise.reject(thrown))).rejects.toBe(thrown);
  });
});
