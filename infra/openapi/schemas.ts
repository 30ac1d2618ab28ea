import { JobStatusChanged, jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { operations } from '../../functions/contract/operations.ts';
import { Education, Evaluation, Experience } from '../../functions/domain/application.ts';
import type { formats } from '../../functions/domain/formats.ts';
import { MAX_IDENTIFIER_BYTES } from '../../functions/domain/identifier.ts';
import { JobStatus } from '../../functions/domain/job.ts';
import { isObject } from '../../functions/domain/object.ts';
import { PartialDate } from '../../functions/domain/timestamp.ts';
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

const { recommendation } = Evaluation.properties;
const { from, to } = JobStatusChanged.properties;
const { code, current_status, allowed_transitions } = ProblemDocument.properties;
const lists = [recommendation, code, current_status, allowed_transitions.items, from, to];

/**
 * Returns the document's schema for an enumeration that may grow, in a response or an event. The schema allows any
 * string, so that an older generated client accepts a new value. Requests and our own check of responses allow only
 * the listed values.
 */
function open({ enum: values, description, ...schema }: (typeof lists)[number]) {
  const known = values.filter((value: string | null) => value !== null);
  const list = known.map((value) => `\`${value}\``).join(', ');
  return {
    ...schema,
    description: `${description} One of ${list}; more may be added.`,
    examples: known,
  };
}

const contracts: readonly Operation[] = Object.values(operations);

/** The schemas of the operations' bodies and responses, by the names that the contracts give them. */
const ofOperations: Readonly<Record<string, object>> = Object.fromEntries(
  contracts.flatMap(({ body, response }) =>
    [body, response].flatMap((content) =>
      content === undefined ? [] : [[content.schemaName, content.schema]],
    ),
  ),
);

/** The schemas that have a name in the document. */
const named = {
  ...ofOperations,
  Education,
  Experience,
  Evaluation,
  PartialDate,
  JobStatus,
  JobStatusChanged,
  Problem: ProblemDocument,
  GatewayMessage,
  ProblemOrGatewayMessage,
};

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas that the document replaces, and their replacements. */
const replacements = new Map<unknown, object>([
  ...Object.entries(named).map(([name, schema]): [unknown, object] => [schema, reference(name)]),
  ...lists.map((list): [unknown, object] => [list, open(list)]),
]);

/** The keywords that the document has in place of a format that only this service knows. */
const formatReplacements: Readonly<Record<keyof typeof formats, object>> = {
  // JSON Schema has no keyword that counts bytes. A character has at least one byte, so an identifier never has more
  // characters than its limit of bytes.
  identifier: {
    minLength: 1,
    maxLength: MAX_IDENTIFIER_BYTES,
    // The pattern does not use \u, because PCRE2 does not support \u.
    pattern: '^[^\\x00-\\x1F\\x7F]+$',
    // The pattern above does not exclude the control characters from 0x80 to 0x9F. With this range, the pattern would
    // exclude letters in PHP, which matches bytes, and would not compile in Ruby. Client generators ignore `not`.
    not: { pattern: '[\\x80-\\x9F]' },
  },
  timestamp: { format: 'date-time' },
};

/** Returns the JSON Schema of the event as a separate document. */
export function jobStatusChangedDocument() {
  const { source, type, summary, schema, example } = jobStatusChanged;
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const $id = `urn:event-type:${source}:${type}`;
  return { $schema, $id, title: `${summary} (${type})`, ...members(schema), examples: [example] };
}

/** Returns the `schemas` of the Components Object (OpenAPI 3.1.0, section 4.8.7). */
export function componentSchemas(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, copy(schema)]));
}

/**
 * Returns a schema as the document writes it. Each named schema becomes a reference, so that the document has the
 * schema once. Client generators understand all keywords of the result.
 */
export function referring(schema: unknown): unknown {
  return replacements.get(schema) ?? copy(schema);
}

function copy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(referring);
  return isObject(schema) ? members(schema) : schema;
}

const members = (schema: object) => Object.fromEntries(Object.entries(schema).flatMap(keywords));

/** Returns the keywords that the document has in place of a keyword. */
function keywords([keyword, value]: [string, unknown]): [string, unknown][] {
  if (keyword === 'format' && isOwnFormat(value)) return Object.entries(formatReplacements[value]);
  // Only the log reads this keyword.
  if (keyword === 'logField') return [];
  // The client that openapi-generator writes for Python fails on a constant that is a boolean.
  if (keyword === 'const' && typeof value === 'boolean') return [];
  return [[keyword, referring(value)]];
}

const isOwnFormat = (format: unknown): format is keyof typeof formats =>
  typeof format === 'string' && Object.hasOwn(formatReplacements, format);
