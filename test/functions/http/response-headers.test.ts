import middy from '@middy/core';
import { describe, expect, it } from 'vitest';
import { responseHeaders } from '../../../functions/http/response-headers.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';

const always = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'request-1',
};

// Those of problems are in problems.test.ts.
describe('the headers', () => {
  const service = useService();

  it('of a success are these and no others', async () => {
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
    expect((await service.getApplication()).headers).toEqual(always);
    expect((await service.updateJobStatus()).headers).toEqual({ ...always, ETag: '"2"' });
  });

  it('are left to Lambda if there is no answer', async () => {
    const handler = middy()
      .use(responseHeaders())
      .handler(() => undefined);
    const event = { requestContext: { requestId: 'r' } };
    await expect(handler(event as never, {} as never)).resolves.toBeUndefined();
  });
});
