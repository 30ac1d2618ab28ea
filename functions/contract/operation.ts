import type { JSONSchema } from 'json-schema-to-ts';
import type { PathParameters } from './path-parameters.ts';
import type { Method, ProblemCode } from './problem.ts';

/** A JSON Schema (version 2020-12) of an object. */
type ObjectSchema = JSONSchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JSONSchema>>;
};

/** The schema of a path parameter or of a header, with the description that the OpenAPI document needs. */
export type DescribedSchema = Exclude<JSONSchema, boolean> & { readonly description: string };
export type DescribedSchemas = Readonly<Record<string, DescribedSchema>>;

/**
 * The rules for the members of a request body. Each key is the JSON Pointer to a member, and each value is the rule for
 * this member. The problem `invalid_body` quotes the rule.
 */
export type BodyRules = Readonly<Record<string, string>>;

/**
 * A request body or a response body. `schemaName` is the schema's name in the OpenAPI document and in generated
 * clients.
 */
interface Content {
  readonly schemaName: string;
  readonly schema: ObjectSchema;
  readonly example: object;
}

/**
 * The contract of one operation. The route, the scope that a token needs, the validators, the success response and the
 * OpenAPI document are all derived from this object.
 */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  /** The path. Each parameter is a name in braces, as in OpenAPI and API Gateway. */
  readonly path: `/v1/${string}`;
  readonly scope: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: PathParameters;
  /** The schemas of the operation's request headers, except `Authorization` and `Content-Type`. */
  readonly headers?: DescribedSchemas;
  readonly body?: Content & { readonly rules: BodyRules };
  readonly response: Content & {
    /** The HTTP status of a success. Statuses without a response body, such as 204, are not supported. */
    readonly status: 200 | 201 | 202;
    readonly description: string;
    /** The schemas of the success response's own headers, in addition to the headers of every response. */
    readonly headers?: DescribedSchemas;
  };
  readonly problems: readonly ProblemCode[];
}
