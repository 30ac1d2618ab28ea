import type { SchemaObject } from 'ajv';
import {
  ADDRESSABLE_RULE,
  AddressableIdentifier,
} from '../../functions/domain/addressable-identifier.ts';
import { Application } from '../../functions/domain/application.ts';
import { Identifier } from '../../functions/domain/identifier.ts';
import { Job, JobStatus } from '../../functions/domain/job.ts';
import { MAX_EPOCH_SECONDS, PartialDate, Timestamp } from '../../functions/domain/timestamp.ts';
import { fileAttributes, jobAttributes, revisionAttributes } from '../../functions/store/items.ts';
import { MAX_DAYS } from './expiry.ts';
import {
  eMail,
  instant,
  partialDate,
  phoneNumber,
  profile,
  removableIdentifier,
  storableIdentifier,
  storableNumber,
  storableText,
  urlFormat,
  visibleText,
} from './storable.ts';

/** The range of revisions, from 2001 to 9999. Times in seconds or microseconds lie outside the range. */
export const REVISIONS = { minimum: 1_000_000_000_000, maximum: 253_402_300_799_999 } as const;

const TIME =
  'A date and time with its offset from UTC, within the years 0001 to 9999 in UTC. It is stored in UTC with milliseconds and a trailing Z.';

const described = (schema: SchemaObject, description: string) => ({ ...schema, description });
const identifier = { ...Identifier, ...storableIdentifier };
const pathIdentifier = { ...AddressableIdentifier, means: ADDRESSABLE_RULE };
const text = { type: 'string', ...storableText };
const tenant = described(
  identifier,
  'The tenant. Leave it out if the deployment has no tenant claim.',
);
const jobId = described(pathIdentifier, 'Identifier of the job.');
const userId = described(pathIdentifier, 'Identifier of the candidate.');
const removable = { ...Identifier, ...removableIdentifier };
const removedApplication = {
  tenant: described(removable, tenant.description),
  job_id: described(removable, jobId.description),
  user_id: described(removable, userId.description),
};
const { job_id: _, ...erasedCandidate } = removedApplication;
const expiresAt = {
  minimum: 0,
  // The maximum also rejects times in milliseconds, which are a likely mistake.
  maximum: MAX_EPOCH_SECONDS,
  means: `whole seconds since 1970, up to ${MAX_EPOCH_SECONDS}`,
};
const revision = {
  type: 'integer',
  ...REVISIONS,
  means: `whole milliseconds since 1970, from ${REVISIONS.minimum} to ${REVISIONS.maximum}`,
};

/** The schema of a job. An exported job also has its history. */
const job = closedObject(
  {
    type: { const: 'job' },
    tenant,
    id: jobId,
    status: JobStatus,
    [jobAttributes.version]: described(
      Job.properties.version,
      "The job's version, which each status change increments. This member and the members after it are the job's history, as exported.",
    ),
    [jobAttributes.previousStatus]: described(
      JobStatus,
      'The status before the last status change.',
    ),
    [jobAttributes.fence]: described(
      { ...Job.properties.fence, minimum: 0 },
      "A number that orders the attempts to change the job's status.",
    ),
    [jobAttributes.changedAt]: described(
      { type: 'string', ...instant },
      'The time of the last status change.',
    ),
    [jobAttributes.changedBy]: described(
      text,
      'The subject of the token that made the last status change.',
    ),
    [jobAttributes.actor]: described(
      text,
      'The subject of the token that made the last status change, in the form that events contain.',
    ),
    [jobAttributes.changeId]: described(text, 'Identifier of the last status change.'),
  },
  ['type', 'id', 'status'],
);

const contract = recordSchema(Application);
const files = Object.fromEntries(
  fileAttributes.map((name) => [
    name,
    described(
      { type: ['string', 'null'], ...urlFormat },
      'An https:// or http:// URL that a URL parser accepts, or the S3 URI of a file in filesBucket. It may hold another URL only after /, =, ?, &, # or a colon. An empty text counts as missing.',
    ),
  ]),
);

/** The schema of an application. It has the members of the API's response, but requires fewer of them. */
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
      "Candidate's e-mail address. If the address is unknown, give an address under `.invalid` (RFC 2606).",
    ),
    phone: described(
      { type: ['string', 'null'], ...phoneNumber },
      'Telephone number in international format. An empty text counts as missing.',
    ),
    linked_in: described(
      { type: ['string', 'null'], ...profile },
      'Professional-network profile. It is stored without https:// or http://. An empty text counts as missing.',
    ),
    stage_id: described(
      { type: 'string', ...visibleText },
      'Identifier of the current hiring stage.',
    ),
    stage_title: described(
      { type: 'string', ...visibleText },
      'Title of the current hiring stage.',
    ),
    expires_at: described(
      { type: ['integer', 'null'], ...expiresAt, means: `${expiresAt.means}, or null` },
      'The time at which the application expires, in seconds since 1970. Requests for an expired application get 404.',
    ),
    [revisionAttributes.revision]: described(
      revision,
      'The time at which the application changed at its source, in milliseconds since 1970. Of two writes, the write with the greater revision stays.',
    ),
  },
  ['type', 'job_id', ...(contract.required ?? [])],
);

const tombstone = {
  [revisionAttributes.revision]: revision,
  expires_at: described(
    { type: 'integer', ...expiresAt },
    `The time at which the record expires, in seconds since 1970, at most ${MAX_DAYS} days ahead.`,
  ),
};

/** The schema of a removal: the exported tombstone of an application that a live write has removed. */
const removal = closedObject({ type: { const: 'removal' }, ...removedApplication, ...tombstone }, [
  'type',
  'job_id',
  'user_id',
  ...Object.keys(tombstone),
]);

/** The schema of a candidate's erasure, as exported. Older live writes of the candidate have no effect. */
const erasure = closedObject({ type: { const: 'erasure' }, ...erasedCandidate, ...tombstone }, [
  'type',
  'user_id',
  ...Object.keys(tombstone),
]);

/** The schemas of all records, by `type`. */
export const recordSchemas = { job, application, removal, erasure };
export type Kind = keyof typeof recordSchemas;

/**
 * Returns the schema of a record's member for the contract's schema of the same member. The contract requires every
 * member, but a record may leave out lists and members that may be null. In a record, a list may also be null, and a
 * time may have another format than in the contract. The returned schema refuses unknown members at any depth, and text
 * and numbers that DynamoDB cannot store.
 */
function recordSchema(schema: SchemaObject): SchemaObject {
  const { properties, items } = schema;
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
  if (schema.pattern === PartialDate.pattern) {
    return described({ ...schema, ...partialDate }, `${partialDate.means}.`);
  }
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
