import type { MiddlewareStack } from '@smithy/types';
import { isObject } from '../../functions/domain/own-value.ts';

/**
 * Returns a function that, once the command has a response, returns DynamoDB's time in milliseconds: the response's `Date`,
 * which has whole seconds. This machine's clock may be wrong.
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
