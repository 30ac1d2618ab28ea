import { expect, it } from 'vitest';
import { cors } from '../../../functions/operations/cors.ts';

it('pages may use every operation, send its headers and read those of every response', () => {
  expect(cors.methods).toEqual(['GET', 'PATCH']);
  expect(cors.requestHeaders).toEqual([
    ...['Authorization', 'Content-Type', 'traceparent', 'tracestate', 'If-Match'],
  ]);
  const names = ['apigw-requestid', 'ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'];
  expect(cors.responseHeaders).toEqual(expect.arrayContaining(names));
  expect(new Set(cors.responseHeaders).size).toBe(cors.responseHeaders.length);
});
