import { JobStatusChanged, jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import { Education, Evaluation, Experience } from '../../functions/domain/application.ts';
import type { ajvOptions } from '../../functions/domain/formats.ts';
import { MAX_IDENTIFIER_BYTES } from '../../functions/domain/identifier.ts';
import { JobStatus } from '../../functions/domain/job.ts';
import { isObject } from '../../functions/domain/own-value.ts';
import { PartialDate } from '../../functions/domain/timestamp.ts';
import { HTTP } from '../../functions/domain/web-address.ts';
import { contracts } from '../../functions/operations/operations.ts';
import { ProblemDocument } from './problems.ts';

export const GatewayMessage = {
  type: 'object',
  description: 'A response of API Gateway itself.',
  properties: { message: { type: 'string', description: 'What happened.' } },
  required: ['message'],
} as const;

/** For statuses that the service or API Gateway may send: client generators read only one schema per status. */
export const ProblemOrGatewayMessage = {
  description: 'A problem of the service, or a response of API Gateway itself.',
  anyOf: [ProblemDocument, GatewayMessage],
} as const;

/** Seen from the service. */
export type Direction = 'received' | 'sent';

interface NamedSchema {
  name: string;
  schema: object;
  direction: Direction;
}

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

// JSON Schema cannot count bytes, but no text has more characters than bytes.
export const identifierLength = { minLength: 1, maxLength: MAX_IDENTIFIER_BYTES };

/** Clients do not know the service's own formats. */
const formatReplacements: Readonly<Record<keyof typeof ajvOptions.formats, object>> = {
  identifier: {
    ...identifierLength,
    // PCRE2 has no \u.
    pattern: '^[^\\x00-\\x1F\\x7F]+$',
    // Kept out of `pattern`: PHP matches bytes, so this range would exclude letters, and Ruby could not compile it.
    // Client generators ignore `not`.
    not: { pattern: '[\\x80-\\x9F]' },
  },
  // Only part of the rule; the description has all of it. Without \u, a pattern cannot list invisible characters.
  addressable: { ...identifierLength, pattern: '^[^\\x00-\\x1F\\x7F/?%]+$' },
  timestamp: { format: 'date-time' },
  webAddress: { pattern: `^${HTTP}` },
  // No pattern: a portable one would say no more than the description.
  profile: {},
};

export function jobStatusChangedDocument() {
  const { source, type, summary, schema, example } = jobStatusChanged;
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const $id = `urn:event-type:${source}:${type}`;
  const title = `${summary} (${type})`;
  return { $schema, $id, title, ...members(schema, 'sent'), examples: [example] };
}

export const componentSchemas = () =>
  Object.fromEntries(
    namedSchemas.map(({ name, schema, direction }) => [name, members(schema, direction)]),
  );

/**
 * Enumerations are closed in requests and open in responses, so a named schema is referenced only in its own direction.
 * Keywords that break client generators are replaced or dropped.
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

/** Lets existing generated clients accept values added later: any value of the type passes. */
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

function keywords([keyword, value]: [string, unknown], direction: Direction): [string, unknown][] {
  if (keyword === 'format' && isOwnFormat(value)) return Object.entries(formatReplacements[value]);
  // Boolean constants break the Python client of openapi-generator.
  if (keyword === 'const' && typeof value === 'boolean') return [];
  return [[keyword, published(value, direction)]];
}

const isOwnFormat = (format: unknown): format is keyof typeof formatReplacements =>
  typeof format === 'string' && Object.hasOwn(formatReplacements, format);
