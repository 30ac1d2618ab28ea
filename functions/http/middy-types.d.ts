// The published types of the two middlewares below do not say how the middlewares narrow the type of the event.

declare module '@middy/validator' {
  import type { MiddlewareObj } from '@middy/core';
  import type { ValidateFunction } from 'ajv';

  /**
   * Rejects an event that `eventSchema` does not accept. The mapped type drops index signatures, which would allow
   * any member.
   */
  export default function validator<T>(options: {
    eventSchema: ValidateFunction<T>;
  }): MiddlewareObj<{ [Name in keyof T as string extends Name ? never : Name]: T[Name] }>;
}

declare module '@middy/http-json-body-parser' {
  import type { MiddlewareObj } from '@middy/core';

  /** Replaces the event's `body` with the parsed JSON. */
  export default function httpJsonBodyParser(options?: {
    disableContentTypeCheck?: boolean;
  }): MiddlewareObj<{ body?: unknown }>;
}
