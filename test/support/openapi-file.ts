import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isTimestamp } from '../../functions/domain/timestamp.ts';

export type Schema = Readonly<Record<string, unknown>>;

interface Described {
  schema: Schema;
}

export interface Parameter extends Described {
  name: string;
  in: 'path' | 'header';
  required: boolean;
}

/** An operation as a reader of the committed document knows it. */
export interface DocumentedOperation {
  operationId: string;
  method: string;
  path: string;
  security: readonly object[];
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Readonly<Record<string, Described>> };
  responses: Readonly<Record<string, unknown>>;
}

// The file, not the objects that it is built from: what a client has is what is held to.
const file = new URL('../../docs/openapi.json', import.meta.url);
const document = JSON.parse(readFileSync(file, 'utf8'));

/** The operations of the document. */
export const documentedOperations: readonly DocumentedOperation[] = Object.entries(
  document.paths as object,
).flatMap(([path, methods]) =>
  Object.entries(methods as object).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

/** A node of the document, or what it refers to. */
export function followed<T>(node: unknown): T {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node as T;
  const steps = $ref.split('/').slice(1);
  return followed(steps.reduce((at, step) => at?.[step], document));
}

// The service sends times in one form of `date-time`, and does not check the other formats.
const formats = { 'date-time': isTimestamp, email: true, uri: true } as const;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats });
const within = (schema: unknown) =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'openapi#/$defs/'));
ajv.addSchema({ $id: 'openapi', $defs: within(document.components.schemas) });

const validators = new Map<unknown, ValidateFunction>();

/** Why `value` does not fit a schema of the document; undefined if it does. */
export function misfitOf(schema: Schema, value: unknown): string | undefined {
  const validate = validators.get(schema) ?? ajv.compile(within(schema));
  validators.set(schema, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}
