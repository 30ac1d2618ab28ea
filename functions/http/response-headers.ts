import { type Middleware, requestIdOf } from '../runtime/invocation.ts';

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
};

/** Puts the headers that every answer carries on every answer, refusals included. */
export function responseHeaders(): Middleware {
  const add: Middleware['after'] = (request) => {
    if (request.response) {
      Object.assign(request.response.headers, HEADERS, { 'X-Request-Id': requestIdOf(request) });
    }
  };
  return { after: add, onError: add };
}
