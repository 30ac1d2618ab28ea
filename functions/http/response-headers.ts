import { fixedHeaders } from '../contract/headers.ts';
import { type Middleware, requestIdOf } from '../platform/invocation.ts';

/** Use it before `problemResponses`, so that problems have the headers too: middy calls `onError` in reverse order. */
export function responseHeaders(): Middleware {
  const add: Middleware['after'] = (request) => {
    const headers = { ...fixedHeaders, 'X-Request-Id': requestIdOf(request) };
    if (request.response) Object.assign(request.response.headers, headers);
  };
  return { after: add, onError: add };
}
