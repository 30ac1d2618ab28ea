// Types for two of middy's middlewares. Middy's own types do not say which members of the event each middleware adds or
// checks.

declare module '@middy/validator' {
  import type { MiddlewareObj } from '@middy/core';
  import type { ValidateFunction } from 'ajv';

  /**
   * Rejects an event that does not match `eventSchema`. The mapped type leaves out the index signatures of `T`. With an
   * index signature, TypeScript would allow a handler to read any member.
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
