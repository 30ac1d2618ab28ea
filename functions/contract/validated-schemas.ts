import type { FromSchema } from 'json-schema-to-ts';
import { Application } from '../domain/application.ts';
import { formats } from '../domain/formats.ts';
import { Job } from '../domain/job.ts';
import type { ObjectSchema, Operation } from './operation.ts';
import { type OperationName, operations } from './operations.ts';

/** How Ajv compiles the schemas: strictly, without coercion and without default values. */
export const ajvOptions = { strict: true, allowUnionTypes: true, formats };

type Contract = (typeof operations)[OperationName];
type NameOf<C extends Contract, Part extends string> = `is${Capitalize<C['operationId']>}${Part}`;

/** What each validator proves of a value that it accepts; `validators.d.ts` declares the validators. */
export type Valid = {
  isApplication: Application;
  isJob: Job;
} & {
  [C in Contract as NameOf<C, 'Path'>]: { pathParameters: FromSchema<C['parameters']> };
} & {
  [C in Extract<Contract, { body: unknown }> as NameOf<C, 'Body'>]: {
    body: FromSchema<C['body']['schema']>;
  };
};

/**
 * The schemas that are compiled to standalone code at build time, by the names under which `#validators`
 * exports the results: what the database stores, and per operation an invocation's path parameters and its
 * parsed body.
 */
export const validatedSchemas: Readonly<Record<string, object>> = {
  isApplication: Application,
  isJob: Job,
  ...Object.fromEntries(Object.values(operations).flatMap(invocationSchemas)),
};

function invocationSchemas({ operationId, parameters, body }: Operation) {
  const name = `is${operationId[0]?.toUpperCase()}${operationId.slice(1)}`;
  const path = [`${name}Path`, objectWith('pathParameters', parameters)] as const;
  return body === undefined ? [path] : [path, [`${name}Body`, objectWith('body', body.schema)]];
}

function objectWith(member: string, schema: ObjectSchema) {
  return { type: 'object', properties: { [member]: schema }, required: [member] };
}
