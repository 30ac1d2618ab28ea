import type { JSONSchema } from 'json-schema-to-ts';
import type { PathParameters } from './path-parameters.ts';
import type { Method, ProblemCode } from './problem.ts';

/** JSON Schema 2020-12. */
type ObjectSchema = JSONSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JSONSchema>>;
};

/** For a path parameter or a header: the OpenAPI document needs the description. */
export type DescribedSchema = Exclude<JSONSchema, boolean> & { readonly description: string };
export type DescribedSchemas = Readonly<Record<string, DescribedSchema>>;

/** What each member of the body must be, by JSON Pointer; quoted in the problem `invalid_body`. */
export type BodyRules = Readonly<Record<string, string>>;

/** `schemaName` is for the OpenAPI document and generated clients. */
interface Content {
  readonly schemaName: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

/**
 * The contract of an operation: its route, required scope, validators, success response and OpenAPI document all derive
 * from it.
 */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  /** Parameters in braces, as in OpenAPI and API Gateway. */
  readonly path: `/v1/${string}`;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: PathParameters;
  /** Request headers besides `Authorization` and `Content-Type`. */
  readonly headers?: DescribedSchemas;
  readonly body?: Content & { readonly rules: BodyRules };
  readonly response: Content & {
    /** Statuses without a body, such as 204, are not supported. */
    readonly status: 200 | 201 | 202;
    readonly description: string;
    /** In addition to the headers that every response has. */
    readonly headers?: DescribedSchemas;
  };
  readonly problems: readonly ProblemCode[];
}
