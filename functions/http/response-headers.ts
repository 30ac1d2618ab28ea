import { fixedHeaders } from '../contract/headers.ts';
import { type Middleware, requestIdOf } from '../platform/invocation.ts';

/**
 * Adds the headers of every response, failures included.
 *
 *     .use(responseHeaders())
 *     .use(problemResponses(getApplication))
 */
export function responseHeaders(): Middleware {
  const add: Middleware['after'] = (request) => {
    const headers = { ...fixedHeaders, 'X-Request-Id': requestIdOf(request) };
    if (request.response) Object.assign(request.response.headers, headers);
  };
  return { after: add, onError: add };
}
