// Middy's own types do not say which members of the event these two middlewares add or check.

declare module '@middy/validator' {
  import type { MiddlewareObj } from '@middy/core';
  import type { ValidateFunction } from 'ajv';

  /** Drops `T`'s index signatures, which would let a handler read any member. */
  export default function validator<T>(options: {
    eventSchema: ValidateFunction<T>;
  }): MiddlewareObj<{ [Name in keyof T as string extends Name ? never : Name]: T[Name] }>;
}

declare module '@middy/http-json-body-parser' {
  import type { MiddlewareObj } from '@middy/core';

  export default function httpJsonBodyParser(options?: {
    disableContentTypeCheck?: boolean;
  }): MiddlewareObj<{ body?: unknown }>;
}
