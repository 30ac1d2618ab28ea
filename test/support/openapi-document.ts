import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation } from '../../functions/contract/operation.ts';
import { type ProblemCode, problemDefinitions } from '../../functions/contract/problem.ts';
import { isTimestamp } from '../../functions/domain/timestamp.ts';
import { openApiDocument } from '../../infra/documents/openapi-document.ts';
import manifest from '../../package.json' with { type: 'json' };

export type Schema = Readonly<Record<string, unknown>>;

export interface Content {
  schema: Schema & { examples?: unknown[] };
  example?: unknown;
  examples?: Record<string, { value: Record<string, unknown> }>;
}

interface DocumentedResponse {
  content: Record<string, Content>;
}

interface Documented {
  parameters: (Content & { name: string; in: string; required: boolean })[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}

export const text = `${JSON.stringify(openApiDocument(manifest.version), null, 2)}\n`;
export const parsed = JSON.parse(text);

const find = (reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((node, step) => node?.[step], parsed);

export const resolved = <T extends object>(part: T | { $ref: string }): T =>
  ('$ref' in part ? find(String(part.$ref)) : part) as T;

export const documented = ({ path, method }: Operation): Documented =>
  parsed.paths[path][method.toLowerCase()];

export const responsesOf = (operation: Operation): Record<string, DocumentedResponse> =>
  Object.fromEntries(
    Object.entries(documented(operation).responses).map(([status, response]) => [
      status,
      resolved(response),
    ]),
  );

export const exampleOf = (operation: Operation, code: ProblemCode) => {
  const { content } = responsesOf(operation)[problemDefinitions[code].status] ?? {};
  return content?.['application/problem+json']?.examples?.[code]?.value ?? {};
};

// The service sends times in one format, and does not check e-mail addresses and URLs.
const formats = { 'date-time': isTimestamp, email: true, uri: true } as const;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats });
const within = (schema: unknown) =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'openapi#/$defs/'));
ajv.addSchema({ $id: 'openapi', $defs: within(parsed.components.schemas) });
const validators = new Map<unknown, ValidateFunction>();

/** Empty if `value` matches. */
export function misfit(schema: Schema, value: unknown): string {
  const validate = validators.get(schema) ?? ajv.compile(within(schema));
  validators.set(schema, validate);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}
