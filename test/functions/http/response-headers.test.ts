import middy from '@middy/core';
import { expect, it } from 'vitest';
import { responseHeaders } from '../../../functions/http/response-headers.ts';

it('adds no headers if there is no response', async () => {
  const handler = middy()
    .use(responseHeaders())
    .handler(() => undefined);
  const event = { requestContext: { requestId: 'r' } };
  await expect(handler(event as never, {} as never)).resolves.toBeUndefined();
});
