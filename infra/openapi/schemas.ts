import { JobStatusChanged, jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { Education, Evaluation, Experience } from '../../functions/domain/application.ts';
import type { ajvOptions } from '../../functions/domain/formats.ts';
import { MAX_IDENTIFIER_BYTES } from '../../functions/domain/identifier.ts';
import { JobStatus } from '../../functions/domain/job.ts';
import { isObject } from '../../functions/domain/own-value.ts';
import { PartialDate } from '../../functions/domain/timestamp.ts';
import { operations } from '../../functions/operations/operations.ts';
import { ProblemDocument } from './problems.ts';

/** The body of a response that API Gateway itself sends. */
export const GatewayMessage = {
  type: 'object',
  description: 'A response of API Gateway itself.',
  properties: { message: { type: 'string', description: 'What happened.' } },
  required: ['message'],
} as const;

/**
 * The body of an error whose status both the service and API Gateway send. The document has this schema under both
 * media types, because client generators read only one schema for a status.
 */
export const ProblemOrGatewayMessage = {
  description: 'A problem of the service, or a response of API Gateway itself.',
  anyOf: [ProblemDocument, GatewayMessage],
} as const;

/** Whether the service receives a value, in a request, or sends the value, in a response, a problem or an event. */
export type Direction = 'received' | 'sent';

interface NamedSchema {
  name: string;
  schema: object;
  direction: Direction;
}

const contracts: readonly Operation[] = Object.values(operations);

/** The schemas that have a name in the document. The contracts give the schemas of bodies and responses their names. */
const namedSchemas: readonly NamedSchema[] = [
  ...contracts.flatMap(({ body, response }): NamedSchema[] => [
    ...(body
      ? [{ name: body.schemaName, schema: body.schema, direction: 'received' as const }]
      : []),
    { name: response.schemaName, schema: response.schema, direction: 'sent' },
  ]),
  { name: 'Education', schema: Education, direction: 'sent' },
  { name: 'Experience', schema: Experience, direction: 'sent' },
  { name: 'Evaluation', schema: Evaluation, direction: 'sent' },
  { name: 'PartialDate', schema: PartialDate, direction: 'sent' },
  { name: 'JobStatus', schema: JobStatus, direction: 'received' },
  { name: 'JobStatusChanged', schema: JobStatusChanged, direction: 'sent' },
  { name: 'Problem', schema: ProblemDocument, direction: 'sent' },
  { name: 'GatewayMessage', schema: GatewayMessage, direction: 'sent' },
  { name: 'ProblemOrGatewayMessage', schema: ProblemOrGatewayMessage, direction: 'sent' },
];

// No keyword counts bytes. A character has at least one, so the limit of bytes also limits the characters.
const identifierLength = { minLength: 1, maxLength: MAX_IDENTIFIER_BYTES };

/** The keywords that the document has in place of a format that only this service knows. */
const formatReplacements: Readonly<Record<keyof typeof ajvOptions.formats, object>> = {
  identifier: {
    ...identifierLength,
    // Without \u, which PCRE2 does not support.
    pattern: '^[^\\x00-\\x1F\\x7F]+$',
    // With the range 0x80 to 0x9F, the pattern above would exclude letters in PHP, which matches bytes, and would not
    // compile in Ruby. Client generators ignore `not`.
    not: { pattern: '[\\x80-\\x9F]' },
  },
  // The description has the whole rule, because invisible characters cannot be listed without \u.
  addressable: { ...identifierLength, pattern: '^[^\\x00-\\x1F\\x7F/?%]+$' },
  timestamp: { format: 'date-time' },
};

/** Returns the JSON Schema of the event as a separate document. */
export function jobStatusChangedDocument() {
  const { source, type, summary, schema, example } = jobStatusChanged;
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const $id = `urn:event-type:${source}:${type}`;
  const title = `${summary} (${type})`;
  return { $schema, $id, title, ...members(schema, 'sent'), examples: [example] };
}

/**
 * Returns the `schemas` of the Components Object (OpenAPI 3.1.0, section 4.8.7).
 * @throws Error if two schemas, or the two directions of a schema, have the same name.
 */
export function componentSchemas(schemas = namedSchemas): Record<string, unknown> {
  for (const { name, schema, direction } of schemas) {
    const first = schemas.find((one) => one.name === name);
    if (first?.schema !== schema || first.direction !== direction) {
      throw new Error(`The name ${name} has two schemas or directions.`);
    }
  }
  return Object.fromEntries(
    schemas.map(({ name, schema, direction }) => [name, members(schema, direction)]),
  );
}

/**
 * Returns a schema as the document writes it. A named schema becomes a reference, so that the document has the schema
 * once. If a schema is named only for the other direction, the result is a copy, because the same enumeration is closed
 * in requests and open in responses. Client generators understand all keywords of the result.
 */
export function published(schema: unknown, direction: Direction): unknown {
  const found = namedSchemas.find((one) => one.schema === schema && one.direction === direction);
  if (found !== undefined) return { $ref: `#/components/schemas/${found.name}` };
  if (Array.isArray(schema)) return schema.map((each) => published(each, direction));
  return isObject(schema) ? members(schema, direction) : schema;
}

function members(schema: object, direction: Direction): Record<string, unknown> {
  const entries = Object.entries(direction === 'sent' ? opened(schema) : schema);
  return Object.fromEntries(entries.flatMap((entry) => keywords(entry, direction)));
}

/**
 * Returns a schema that allows any value of its type in place of an enumeration. An older generated client therefore
 * accepts a value that is added later. Requests and our own check of responses allow only the listed values.
 */
function opened(schema: { enum?: unknown; description?: unknown }): object {
  const { enum: values, description, ...others } = schema;
  if (!Array.isArray(values)) return schema;
  const known = values.filter((value) => value !== null);
  const list = known.map((value) => `\`${value}\``).join(', ');
  return {
    ...others,
    description: `${description ?? ''} One of ${list}; more may be added.`.trim(),
    examples: known,
  };
}

/** Returns the keywords that the document has in place of a keyword. */
function keywords([keyword, value]: [string, unknown], direction: Direction): [string, unknown][] {
  if (keyword === 'format' && isOwnFormat(value)) return Object.entries(formatReplacements[value]);
  // The client that openapi-generator writes for Python fails on a constant that is a boolean.
  if (keyword === 'const' && typeof value === 'boolean') return [];
  return [[keyword, published(value, direction)]];
}

const isOwnFormat = (format: unknown): format is keyof typeof formatReplacements =>
  typeof format === 'string' && Object.hasOwn(formatReplacements, format);
