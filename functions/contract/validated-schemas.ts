import type { FromSchema } from 'json-schema-to-ts';
import { Application } from '../domain/application.ts';
import { formats } from '../domain/formats.ts';
import { Job } from '../domain/job.ts';
import type { ObjectSchema, Operation } from './operation.ts';
import { type OperationName, operations } from './operations.ts';

/** How Ajv compiles the schemas: strictly, without coercion and without default values. */
export const ajvOptions = { strict: true, allowUnionTypes: true, formats };

type Operations = typeof operations;
type OperationWithBody = {
  [N in OperationName]: Operations[N] extends { body: unknown } ? N : never;
}[OperationName];

/** What each validator proves of a value that it accepts; `validators.d.ts` names the modules. */
export type Valid = {
  application: Application;
  job: Job;
} & {
  [N in OperationName as `${N}-path`]: { pathParameters: FromSchema<Operations[N]['parameters']> };
} & {
  [N in OperationWithBody as `${N}-body`]: { body: FromSchema<Operations[N]['body']['schema']> };
};

/**
 * The schemas that are compiled to standalone code at build time, by the name under which
 * `#validators/<name>` imports the result: what the database stores, and per operation an invocation's
 * path parameters and its parsed body.
 */
export const validatedSchemas: Readonly<Record<string, object>> = {
  application: Application,
  job: Job,
  ...Object.fromEntries(Object.entries(operations).flatMap(invocationSchemas)),
};

function invocationSchemas([name, { parameters, body }]: [string, Operation]) {
  const path = [`${name}-path`, objectWith('pathParameters', parameters)] as const;
  return body === undefined
    ? [path]
    : [path, [`${name}-body`, objectWith('body', body.schema)] as const];
}

function objectWith(member: string, schema: ObjectSchema) {
  return { type: 'object', properties: { [member]: schema }, required: [member] };
}
