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

/** For statuses that both the service and API Gateway may send: client generators read one schema for each status. */
export const ProblemOrGatewayMessage = {
  description: 'A problem of the service, or a response of API Gateway itself.',
  anyOf: [ProblemDocument, GatewayMessage],
} as const;

/** From the service's point of view. */
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
    // Not part of the pattern: in PHP, which matches bytes, this range would exclude letters, and Ruby could not
    // compile it. Client generators ignore `not`.
    not: { pattern: '[\\x80-\\x9F]' },
  },
  // The description has the whole rule: without \u, invisible characters cannot be listed.
  addressable: { ...identifierLength, pattern: '^[^\\x00-\\x1F\\x7F/?%]+$' },
  timestamp: { format: 'date-time' },
  webAddress: { pattern: `^${HTTP}` },
  // Its description says as much as a portable pattern could.
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
 * Refers to a named schema only in its own direction, because enumerations are closed in requests and open in
 * responses. Replaces or drops keywords that break client generators.
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

/** Older generated clients must accept values that are added later, so any value of the type will do. */
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
