import type { JSONSchema } from 'json-schema-to-ts';
import type { PathParameter } from './path-parameters.ts';
import type { Method, ProblemCode } from './problem.ts';

/** A schema of JSON Schema 2020-12 that describes an object. */
export type ObjectSchema = JSONSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JSONSchema>>;
};

/** The schema of a path parameter or of a header, with the description that the OpenAPI document needs. */
export type DescribedSchema = Exclude<JSONSchema, boolean> & { readonly description: string };
export type DescribedSchemas = Readonly<Record<string, DescribedSchema>>;

/** The rule for each member of the body, by the JSON Pointer to the member. `invalid_body` problems quote the rule. */
export type BodyRules = Readonly<Record<string, string>>;

/** The schema of a body, and the name of the schema in the OpenAPI document and in generated clients. */
interface Content {
  readonly schemaName: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

/**
 * The contract of one operation. The route, the scope that a token needs, the validators, the success response
 * and the OpenAPI document all come from this object.
 */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  /** The path with its parameters in braces, as OpenAPI and API Gateway write it. */
  readonly path: `/v1/${string}`;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  /** The path's parameters, by their names in the path. Empty if the path has no parameters. */
  readonly parameters: ObjectSchema & {
    readonly properties: Readonly<Record<string, PathParameter>>;
  };
  /** The request headers besides `Authorization` and `Content-Type`. */
  readonly headers?: DescribedSchemas;
  readonly body?: Content & { readonly rules: BodyRules };
  readonly response: Content & {
    /** The status of a success. A response without a body, such as 204, is not supported. */
    readonly status: 200 | 201 | 202;
    readonly description: string;
    /** The response headers besides the headers of every response. */
    readonly headers?: DescribedSchemas;
  };
  readonly problems: readonly ProblemCode[];
}
