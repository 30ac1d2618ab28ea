import type { SchemaObject } from 'ajv';
import { Application } from '../../functions/domain/application.ts';
import { Identifier } from '../../functions/domain/identifier.ts';
import { Job, JobStatus } from '../../functions/domain/job.ts';
import { LAST_SECOND, Timestamp } from '../../functions/domain/timestamp.ts';
import { fileAttributes, jobAttributes, revisionAttributes } from '../../functions/store/items.ts';
import {
  addressableIdentifier,
  eMail,
  instant,
  storableIdentifier,
  storableNumber,
  storableText,
  visibleText,
  webAddress,
} from './storable.ts';

/** The first and the last revision: those of 2001 and 9999, so that seconds and microseconds are refused. */
export const REVISIONS = { minimum: 1_000_000_000_000, maximum: 253_402_300_799_999 } as const;

const TIME =
  'A time of the years 0000 to 9999 in UTC. It is stored in UTC, with three decimals and a Z.';

const described = (schema: SchemaObject, description: string) => ({ ...schema, description });
const identifier = { ...Identifier, ...storableIdentifier };
const pathIdentifier = { ...Identifier, ...addressableIdentifier };
const text = { type: 'string', ...storableText };
const tenant = described(
  identifier,
  'The tenant. It may be left out if the deployment has no tenant claim.',
);
const jobId = described(pathIdentifier, 'Identifier of the job.');
const userId = described(pathIdentifier, 'Identifier of the candidate.');
const expiresAt = {
  // A time given in milliseconds, the likely mistake, is after the last second.
  minimum: 0,
  maximum: LAST_SECOND,
  means: `whole seconds since 1970, up to ${LAST_SECOND}`,
};
const revision = {
  type: 'integer',
  ...REVISIONS,
  means: `whole milliseconds since 1970, from ${REVISIONS.minimum} to ${REVISIONS.maximum}`,
};

/** A job, which may have its history. */
const job = closedObject(
  {
    type: { const: 'job' },
    tenant,
    id: jobId,
    status: JobStatus,
    [jobAttributes.version]: described(
      Job.properties.version,
      'How often the status was set. Like the members after it, it is history, as an export has it.',
    ),
    [jobAttributes.previousStatus]: described(JobStatus, 'The status before the last change.'),
    [jobAttributes.fence]: described(
      { ...Job.properties.fence, minimum: 0 },
      'Orders the attempts of updates.',
    ),
    [jobAttributes.changedAt]: described(
      { type: 'string', ...instant },
      'When the status was changed last.',
    ),
    [jobAttributes.changedBy]: described(text, 'The subject of the token that changed it.'),
    [jobAttributes.actor]: described(text, 'The same, as events have it.'),
    [jobAttributes.changeId]: described(text, 'Identifier of the last change.'),
  },
  ['type', 'id', 'status'],
);

const contract = recordSchema(Application);
const files = Object.fromEntries(
  fileAttributes.map((name) => [
    name,
    described(
      { type: ['string', 'null'], ...webAddress },
      'An https:// or http:// address that a URL parser accepts, or the S3 URI of a file in filesBucket.',
    ),
  ]),
);

/** An application: the members of the API's response, of which fewer are required. */
const application = closedObject(
  {
    type: { const: 'application' },
    tenant,
    job_id: jobId,
    ...contract.properties,
    user_id: userId,
    ...files,
    name: described({ type: 'string', ...visibleText }, "Candidate's name."),
    email: described(
      { type: 'string', ...eMail },
      "Candidate's e-mail address. Without one, give an address under `.invalid` (RFC 2606).",
    ),
    stage_id: described({ type: 'string', ...visibleText }, 'Identifier of the current stage.'),
    stage_title: described({ type: 'string', ...visibleText }, 'Title of the current stage.'),
    expires_at: described(
      { type: ['integer', 'null'], ...expiresAt, means: `${expiresAt.means}, or null` },
      'When the application expires, in seconds since 1970. From then on, the API responds with 404.',
    ),
    [revisionAttributes.revision]: described(
      revision,
      'When the application was changed at its source, in milliseconds since 1970. Of two writes, the greater revision stays.',
    ),
  },
  ['type', 'job_id', ...(contract.required ?? [])],
);

const tombstone = {
  [revisionAttributes.revision]: revision,
  expires_at: described(
    { type: 'integer', ...expiresAt },
    'When it expires, in seconds since 1970.',
  ),
};

/** The tombstone of an application that a live write has removed, as an export has it. */
const removal = closedObject(
  { type: { const: 'removal' }, tenant, job_id: jobId, user_id: userId, ...tombstone },
  ['type', 'job_id', 'user_id', ...Object.keys(tombstone)],
);

/** The erasure of a candidate, as an export has it: older live writes of the candidate have no effect. */
const erasure = closedObject(
  { type: { const: 'erasure' }, tenant, user_id: userId, ...tombstone },
  ['type', 'user_id', ...Object.keys(tombstone)],
);

/** The schemas of all records, by their `type`. */
export const recordSchemas = { job, application, removal, erasure };
export type Kind = keyof typeof recordSchemas;

/**
 * Derives the schema of what may be stored from a schema of the contract, in which every member is
 * present: a member that may be null may also be left out, and so may a list, which may be null too. An
 * unknown member is refused at any depth. DynamoDB must be able to store the text and the numbers. Times
 * may be given in other forms than the contract's.
 */
function recordSchema(schema: SchemaObject): SchemaObject {
  const { properties, items, description } = schema;
  const type = typesOf(schema);
  if (properties) {
    const entries = Object.entries<SchemaObject>(properties).map(([name, value]) => [
      name,
      recordSchema(value),
    ]);
    const required = schema.required?.filter((name: string) => {
      const types = typesOf(properties[name]);
      return !types.includes('null') && !types.includes('array');
    });
    return { ...schema, ...closedObject(Object.fromEntries(entries), required) };
  }
  if (items) return { ...schema, type: [...type, 'null'], items: recordSchema(items) };
  if (schema.format === Timestamp.format) return described({ type, ...instant }, TIME);
  if (type.includes('number')) return { ...schema, ...storableNumber };
  if (schema.pattern) return { ...schema, means: description?.replace(/\.$/, '') };
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
