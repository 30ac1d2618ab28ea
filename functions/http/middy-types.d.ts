// How two of middy's middlewares narrow the event, which their published types do not say.

declare module '@middy/validator' {
  import type { MiddlewareObj } from '@middy/core';
  import type { ValidateFunction } from 'ajv';

  /** Rejects an event that `eventSchema` does not accept. An index signature would allow it any member. */
  export default function validator<T>(options: {
    eventSchema: ValidateFunction<T>;
  }): MiddlewareObj<{ [Name in keyof T as string extends Name ? never : Name]: T[Name] }>;
}

declare module '@middy/http-json-body-parser' {
  import type { MiddlewareObj } from '@middy/core';

  /** Replaces the event's `body` by what it parses to. */
  export default function httpJsonBodyParser(options?: {
    disableContentTypeCheck?: boolean;
  }): MiddlewareObj<{ body?: unknown }>;
}
