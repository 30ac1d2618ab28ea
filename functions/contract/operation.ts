import type { JSONSchema } from 'json-schema-to-ts';
import type { PathParameters } from './path-parameters.ts';
import type { Method, ProblemCode } from './problem.ts';

type ObjectSchema = JSONSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JSONSchema>>;
};

export type DescribedSchema = Exclude<JSONSchema, boolean> & { readonly description: string };
export type DescribedSchemas = Readonly<Record<string, DescribedSchema>>;

/** What each member of the body must be, by JSON Pointer; quoted in the problem `invalid_body`. */
export type BodyRules = Readonly<Record<string, string>>;

interface Content {
  readonly schemaName: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  readonly path: `/v1/${string}`;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: PathParameters;
  /** Request headers besides `Authorization` and `Content-Type`. */
  readonly headers?: DescribedSchemas;
  readonly body?: Content & { readonly rules: BodyRules };
  readonly response: Content & {
    readonly status: 200 | 201 | 202;
    readonly description: string;
    /** Besides those that every response has. */
    readonly headers?: DescribedSchemas;
  };
  readonly problems: readonly ProblemCode[];
}
