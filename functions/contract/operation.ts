import type { JSONSchema } from 'json-schema-to-ts';
import type { ProblemCode } from './problem.ts';

/** A schema of JSON Schema 2020-12 that describes an object. */
export type ObjectSchema = JSONSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JSONSchema>>;
};

/** The schema of a path parameter or of a header, with the words that the OpenAPI document needs. */
export type DescribedSchema = Exclude<JSONSchema, boolean> & { readonly description: string };
export type DescribedSchemas = Readonly<Record<string, DescribedSchema>>;

/** What a member of the body must be, by the JSON Pointer to it. */
export type BodyRules = Readonly<Record<string, string>>;

/**
 * What the API promises of one operation. The CDK routes, the OpenAPI document, the scope that a
 * token needs and the schemas of the validators all come from this object.
 */
export interface Operation {
  readonly operationId: string;
  readonly method: 'GET' | 'PATCH';
  /** The path, its parameters in braces, as both OpenAPI and API Gateway write it. */
  readonly path: `/v1/${string}`;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: ObjectSchema & { readonly properties: DescribedSchemas };
  /** Request headers beside `Authorization` and `Content-Type`, by their schema. */
  readonly headers?: DescribedSchemas;
  readonly body?: {
    readonly schema: ObjectSchema;
    readonly rules: BodyRules;
    readonly example: object;
  };
  readonly response: {
    readonly description: string;
    readonly schema: ObjectSchema;
    readonly example: object;
    readonly headers?: DescribedSchemas;
  };
  readonly problems: readonly ProblemCode[];
}
