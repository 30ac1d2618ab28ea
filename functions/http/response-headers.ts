import { fixedHeaders } from '../contract/headers.ts';
import { type Middleware, requestIdOf } from '../runtime/invocation.ts';

/** Adds the headers of every response, whether it is a success or a problem. */
export function responseHeaders(): Middleware {
  const add: Middleware['after'] = (request) => {
    if (request.response) {
      Object.assign(request.response.headers, fixedHeaders, {
        'X-Request-Id': requestIdOf(request),
      });
    }
  };
  return { after: add, onError: add };
}
