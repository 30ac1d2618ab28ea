import type { SchemaObject } from 'ajv';
import {
  ADDRESSABLE_RULE,
  AddressableIdentifier,
} from '../../../functions/domain/addressable-identifier.ts';
import { Application } from '../../../functions/domain/application.ts';
import { Identifier } from '../../../functions/domain/identifier.ts';
import { Job, JobStatus } from '../../../functions/domain/job.ts';
import { MAX_ELEMENTS } from '../../../functions/domain/platform-json.ts';
import { MAX_EPOCH_SECONDS, PartialDate, Timestamp } from '../../../functions/domain/timestamp.ts';
import {
  fileAttributes,
  jobAttributes,
  revisionAttributes,
} from '../../../functions/store/items.ts';
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

/** Milliseconds from 2001 to 9999, so a time in seconds or microseconds is refused. */
export const REVISIONS = { minimum: 1_000_000_000_000, maximum: 253_402_300_799_999 } as const;

/**
 * How far the clocks of sources, writers and DynamoDB may differ. A `revision` further ahead is refused. Erasures are
 * dated this far ahead, to cover earlier changes that a fast clock dated later.
 */
export const CLOCK_MARGIN_MS = 60_000;

/** Earlier years are mistakes: some programs turn a two-digit year into 0026. */
export const FIRST_YEAR = '1900';

const timeFrom = (year: string) =>
  `Date and time with its offset from UTC, within the years ${year} to 9999 in UTC. Stored in UTC with milliseconds and a trailing Z.`;

const described = (schema: SchemaObject, description: string) => ({ ...schema, description });
const identifier = { ...Identifier, ...storableIdentifier };
const pathIdentifier = { ...AddressableIdentifier, means: ADDRESSABLE_RULE };
const text = { type: 'string', ...storableText };
const tenant = described(identifier, 'Leave it out if the deployment has no tenant claim.');
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
  // Refuses a time in milliseconds, which is a likely mistake.
  maximum: MAX_EPOCH_SECONDS,
  means: `whole seconds since 1970, up to ${MAX_EPOCH_SECONDS}`,
};
const revision = {
  ...REVISIONS,
  means: `whole milliseconds since 1970, from ${REVISIONS.minimum} to ${REVISIONS.maximum}`,
};

const job = closedObject(
  {
    type: { const: 'job' },
    tenant,
    id: jobId,
    status: JobStatus,
    [jobAttributes.version]: described(
      Job.properties.version,
      "Grows by one with each status change. `version` and the members below are the job's history, as exported.",
    ),
    [jobAttributes.previousStatus]: described(
      JobStatus,
      'Status before the last change through the API. Absent before the first one, and once an import has replaced the job.',
    ),
    [jobAttributes.fence]: described(
      { ...Job.properties.fence, minimum: 0 },
      'Orders the attempts to change the status.',
    ),
    [jobAttributes.changedAt]: described(
      { type: 'string', ...instant },
      'When the status changed.',
    ),
    [jobAttributes.changedBy]: described(text, '`sub` of the token that last changed the status.'),
    [jobAttributes.actor]: described(text, 'Pseudonym of `status_changed_by`, for events.'),
    [jobAttributes.changeId]: described(text, 'Identifies the last change.'),
  },
  ['type', 'id', 'status'],
);

const contract = recordSchema(Application);
const files = Object.fromEntries(
  fileAttributes.map((name) => [
    name,
    described(
      { type: ['string', 'null'], ...urlFormat },
      'URL with https:// or http:// that a URL parser accepts, or the S3 URI of a file in filesBucket. It may hold another URL only after /, =, ?, &, # or a colon. An empty text counts as missing.',
    ),
  ]),
);

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
      'If unknown, an address under `.invalid` (RFC 2606).',
    ),
    phone: described(
      { type: ['string', 'null'], ...phoneNumber },
      'Telephone number in international format. An empty text counts as missing.',
    ),
    linked_in: described(
      { type: ['string', 'null'], ...profile },
      'Professional-network profile, stored without https:// or http://. An empty text counts as missing.',
    ),
    created_at: described({ type: 'string', ...instant }, timeFrom(FIRST_YEAR)),
    stage_id: described({ type: 'string', ...visibleText }, 'Current hiring stage.'),
    stage_title: described({ type: 'string', ...visibleText }, 'Title of the stage.'),
    expires_at: described(
      { type: ['integer', 'null'], ...expiresAt, means: `${expiresAt.means}, or null` },
      'When the application expires, in seconds since 1970. From then on, requests for it get 404.',
    ),
    [revisionAttributes.revision]: described(
      { type: ['integer', 'null'], ...revision, means: `${revision.means}, or null` },
      'When the application changed at its source, in milliseconds since 1970. The greater revision wins.',
    ),
  },
  ['type', 'job_id', ...(contract.required ?? [])],
);

const tombstone = {
  [revisionAttributes.revision]: { type: 'integer', ...revision },
  expires_at: described(
    { type: 'integer', ...expiresAt },
    `When DynamoDB may delete the record, in seconds since 1970, at most ${MAX_DAYS} days ahead.`,
  ),
};

const removal = closedObject({ type: { const: 'removal' }, ...removedApplication, ...tombstone }, [
  'type',
  'job_id',
  'user_id',
  ...Object.keys(tombstone),
]);

const erasure = closedObject({ type: { const: 'erasure' }, ...erasedCandidate, ...tombstone }, [
  'type',
  'user_id',
  ...Object.keys(tombstone),
]);

export const recordSchemas = { job, application, removal, erasure };
export type RecordKind = keyof typeof recordSchemas;

/** `JobRecord` for `job`. */
export const recordTypeOf = (kind: string) => `${kind[0]?.toUpperCase()}${kind.slice(1)}Record`;

/**
 * Turns the contract's schema into a record's: lists and nullable members are optional, lists may be null, and times
 * may have other formats. Refuses values that are not storable, and unknown members unless the object is open.
 * `platformFaults` checks the platform's own members.
 */
function recordSchema(schema: SchemaObject): SchemaObject {
  const { properties, items, required: all, ...others } = schema;
  const type = typesOf(schema);
  if (properties) {
    const entries = Object.entries<SchemaObject>(properties).map(([name, value]) => [
      name,
      recordSchema(value),
    ]);
    const required = all?.filter((name: string) => {
      const types = typesOf(properties[name]);
      return !types.includes('null') && !types.includes('array');
    });
    return { ...closedObject(Object.fromEntries(entries), required), ...others };
  }
  if (items) {
    const maxItems = MAX_ELEMENTS;
    return { ...schema, type: [...type, 'null'], maxItems, items: recordSchema(items) };
  }
  if (schema.format === Timestamp.format) return described({ type, ...instant }, timeFrom('0001'));
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
