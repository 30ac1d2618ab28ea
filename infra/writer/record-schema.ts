import type { KeywordDefinition, SchemaObject } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { Application } from '../../functions/domain/application.ts';
import { IDENTIFIER_RULE, Identifier } from '../../functions/domain/identifier.ts';
import { Job, JobStatus } from '../../functions/domain/job.ts';
import { isTimestamp, LAST_SECOND, Timestamp } from '../../functions/domain/timestamp.ts';
import { jobAttributes } from '../../functions/store/items.ts';
import {
  addressable,
  eMail,
  notEmpty,
  storableNumber,
  storableText,
  webAddress,
} from './storable.ts';

/** The schema of an instant that `instantKeyword` puts into the form of the contract. */
const instantSchema = {
  format: 'date-time',
  instant: true,
  means: 'a date and time with its offset from UTC, such as 2026-09-14T12:30:45.123Z',
};

/**
 * The keyword of Ajv that replaces a date and time of RFC 3339, such as `2026-09-14T14:30:45+02:00`, by the
 * timestamp of the contract: in UTC, with milliseconds. Further digits are cut off.
 */
export const instantKeyword: KeywordDefinition = {
  keyword: 'instant',
  type: 'string',
  modifying: true,
  schema: false,
  validate(text: string, at?: DataValidationCxt) {
    // Null for a leap second, and with its offset it may be in the year 10000, or before the year 0.
    const timestamp = new Date(text).toJSON() ?? '';
    if (at && isTimestamp(timestamp)) at.parentData[at.parentDataProperty] = timestamp;
    return isTimestamp(timestamp);
  },
};

const tenant = { ...Identifier, means: IDENTIFIER_RULE };
const pathIdentifier = { ...Identifier, ...addressable };
const text = { type: 'string', ...storableText };
const address = { type: ['string', 'null'], ...webAddress };

/** A line that stores a job, and may have its history. */
export const jobLine = closedObject(
  {
    type: { const: 'job' },
    tenant,
    id: pathIdentifier,
    status: JobStatus,
    [jobAttributes.version]: { ...Job.properties.version, minimum: 1 },
    [jobAttributes.previousStatus]: JobStatus,
    [jobAttributes.fence]: { ...Job.properties.fence, minimum: 0 },
    [jobAttributes.changedAt]: { type: 'string', ...instantSchema },
    [jobAttributes.changedBy]: text,
    [jobAttributes.actor]: text,
    [jobAttributes.changeId]: text,
  },
  ['type', 'id', 'status'],
);

const application = lineSchema(Application);

/** A line that stores an application: the members of the contract, of which fewer are required. */
export const applicationLine = closedObject(
  {
    type: { const: 'application' },
    tenant,
    job_id: pathIdentifier,
    ...application.properties,
    user_id: pathIdentifier,
    name: { ...text, ...notEmpty },
    email: { ...text, ...eMail },
    stage_id: { ...text, ...notEmpty },
    stage_title: { ...text, ...notEmpty },
    resume_url: address,
    video_url: address,
    // A time given in milliseconds, the likely mistake, is after the last second.
    expires_at: {
      type: ['integer', 'null'],
      minimum: 0,
      maximum: LAST_SECOND,
      means: `whole seconds since 1970, up to ${LAST_SECOND}, or null`,
    },
    // False for one that the index of candidates must not have, because it was anonymised.
    indexed: { type: 'boolean' },
  },
  ['type', 'job_id', ...(application.required ?? [])],
);

/**
 * Derives the schema of what may be imported from a schema of the contract, in which every member is
 * present: a member that may be null may also be left out, and so may a list, which may be null too. An
 * unknown member is refused at any depth. DynamoDB must be able to store the text and the numbers. Times
 * may be given in other forms than the contract's.
 */
function lineSchema(schema: SchemaObject): SchemaObject {
  const { properties, items } = schema;
  const type = typesOf(schema);
  if (properties) {
    const entries = Object.entries<SchemaObject>(properties).map(([name, value]) => [
      name,
      lineSchema(value),
    ]);
    const required = schema.required?.filter((name: string) => {
      const types = typesOf(properties[name]);
      return !types.includes('null') && !types.includes('array');
    });
    return { ...schema, ...closedObject(Object.fromEntries(entries), required) };
  }
  if (items) return { ...schema, type: [...type, 'null'], items: lineSchema(items) };
  if (schema.format === Timestamp.format) return { type, ...instantSchema };
  if (type.includes('number')) return { ...schema, ...storableNumber };
  if (schema.pattern) return { ...schema, means: schema.description ?? '' };
  return type.includes('string') && !schema.enum ? { ...schema, ...storableText } : schema;
}

function closedObject(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[] = [],
) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function typesOf({ type = [] }: SchemaObject = {}): readonly string[] {
  return [type].flat();
}
