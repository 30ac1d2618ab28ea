import type { MiddlewareStack } from '@smithy/types';
import { isObject } from '../../functions/domain/own-value.ts';

/**
 * DynamoDB's time, from the response's `Date` header, because this machine's clock may be wrong. In milliseconds since
 * 1970, but exact only to the second. Call the returned function after `send`.
 */
export function responseTime<Input extends object, Output extends object>({
  middlewareStack,
}: {
  middlewareStack: MiddlewareStack<Input, Output>;
}): () => number {
  let date: unknown;
  middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const { response } = result;
      if (isObject(response) && isObject(response.headers)) date = response.headers.date;
      return result;
    },
    { step: 'deserialize' },
  );
  return () => {
    const time = Date.parse(String(date));
    if (Number.isNaN(time)) throw new Error('DynamoDB sent a response without a time.');
    return time;
  };
}
