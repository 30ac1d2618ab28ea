import type { SchemaObject, ValidateFunction } from 'ajv';
import { isObject, keysOf } from '../../functions/domain/own-value.ts';
import {
  applicationItem,
  fileAttributes,
  type Item,
  newJobItem,
  revisionAttributes,
} from '../../functions/store/items.ts';
import { applicationKey, erasureKey, keyAttributes } from '../../functions/store/keys.ts';
import { deletableExpiry, expiryOf, MAX_DAYS, SECONDS_A_DAY } from './expiry.ts';
import { type Refusal, refusalOf, refusalOfErrors } from './faults.ts';
import { CLOCK_MARGIN_MS, FIRST_YEAR, type Kind, recordSchemas } from './record-schema.ts';
import type { ApplicationRecord, ErasureRecord, JobRecord, RemovalRecord } from './record-types.ts';
import { itemBytes, MAX_ITEM_BYTES, type RecordMembers, storedText } from './storable.ts';
import {
  isApplicationRecord,
  isErasureRecord,
  isJobRecord,
  isRemovalRecord,
} from './validators.ts';

export const DEFAULT_TENANT = 'default';
export const TOO_LARGE = refusalOf(
  '',
  `the record is larger than a DynamoDB item may be, ${MAX_ITEM_BYTES} bytes`,
);

export interface RecordItem {
  kind: Kind;
  item: Item;
  /** Whether `expires_at` comes from the record itself, and not from `expireAfterDays`. */
  hasOwnExpiry: boolean;
}

/** Why the tenant may not use the file in S3, without any part of its URI; undefined if the tenant may. */
type FileCheck = (uri: string, tenant: string) => string | undefined;

const refuseFile: FileCheck = () => 'is a file in S3, but filesBucket is not set';

export interface ParseOptions {
  /** For applications without `expires_at`, counted from `created_at`. By default, they never expire. */
  expireAfterDays?: number | undefined;
  checkFile?: FileCheck;
  /** In milliseconds since 1970. */
  now?: number | undefined;
}

type Parser = (record: RecordMembers, options: ParseOptions) => RecordItem | Refusal;

const ID_NAME = /^tenant$|^id$|_id$/;
/**
 * What programs make of a long number, perhaps after a prefix: `1.23457E+11` (`1,23457E+11` in other countries),
 * `gh:1e+17` or `12345.0`. Without a sign or a fraction, an exponent may be part of a hexadecimal id.
 */
const RENDERED = /^(?:.*:)?\d+(?:[.,]0+|[.,]\d+[Ee][+-]?\d+|[Ee][+-]\d+)$/s;
const RENDERED_RULE =
  'looks like a number in another notation, such as 1.2E+17 or 12345.0, which may have lost digits: export it again as text, in a spreadsheet by formatting the column as text';

function renderedId(value: unknown, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const isRendered = ID_NAME.test(name) && RENDERED.test(String(member));
    const found = isRendered ? `${path}/${name}` : renderedId(member, `${path}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * For lines of a file, so it also refuses ids that are a number in another notation: several people would become one
 * candidate. Removals and erasures must reach what is stored under any id.
 */
export function parseRecord(
  record: RecordMembers,
  options: ParseOptions = {},
): RecordItem | Refusal {
  const parsers: Readonly<Record<Kind, Parser>> = {
    job: parseJobRecord,
    application: parseApplicationRecord,
    removal: parseRemovalRecord,
    erasure: parseErasureRecord,
  };
  const kinds = keysOf(parsers);
  const kind = kinds.find((name) => name === record.type);
  if (kind === undefined) return refusalOf('/type', `must be one of ${kinds.join(', ')}`);
  const parsed = parseWith(parsers[kind], record, options);
  if ('faults' in parsed || (kind !== 'job' && kind !== 'application')) return parsed;
  const rendered = renderedId(record);
  return rendered === undefined ? parsed : refusalOf(rendered, RENDERED_RULE);
}

export function parseWith(
  parser: Parser,
  record: RecordMembers,
  options: ParseOptions,
): RecordItem | Refusal {
  const bytes = itemBytes(record);
  // Before the validation, which could list a million faults. Twice the limit, because a record may be larger than its
  // item: a time may have more digits than are stored.
  if (bytes > 2 * MAX_ITEM_BYTES) return TOO_LARGE;
  const parsed = parser(record, options);
  // An item adds keys and milliseconds to its record. For a record below half the limit, they fit into the other half.
  if ('faults' in parsed || bytes < MAX_ITEM_BYTES / 2) return parsed;
  return itemBytes(parsed.item) > MAX_ITEM_BYTES ? TOO_LARGE : parsed;
}

export const parseJobRecord: Parser = (record) =>
  isJobRecord(record)
    ? { kind: 'job', item: jobItem(storedForm(recordSchemas.job, record)), hasOwnExpiry: false }
    : refused('job', isJobRecord);

export const parseApplicationRecord: Parser = (record, options) =>
  isApplicationRecord(record)
    ? application(storedForm(recordSchemas.application, record), options)
    : refused('application', isApplicationRecord);

export const parseRemovalRecord: Parser = (record, { now }) => {
  if (!isRemovalRecord(record)) return refused('removal', isRemovalRecord);
  if (isTooFar(record.expires_at, now)) return TOO_FAR;
  return { kind: 'removal', item: removalItem(record, now), hasOwnExpiry: true };
};

/**
 * Not exported: no live write stores an erasure, so the writer's package needs neither this parser nor its validator.
 */
const parseErasureRecord: Parser = (record, { now }) => {
  if (!isErasureRecord(record)) return refused('erasure', isErasureRecord);
  if (isTooFar(record.expires_at, now)) return TOO_FAR;
  return { kind: 'erasure', item: erasureItem(record, now), hasOwnExpiry: true };
};

const TOO_FAR = refusalOf('/expires_at', `must be at most ${MAX_DAYS} days ahead`);
/** A tombstone refuses older writes under its ids until it expires. */
const isTooFar = (expiresAt: number, now = Date.now()) =>
  expiresAt > now / 1000 + MAX_DAYS * SECONDS_A_DAY;

const refused = (kind: Kind, { errors }: ValidateFunction): Refusal =>
  refusalOfErrors(recordSchemas[kind], errors ?? []);

const jobItem = ({
  type: _,
  tenant = DEFAULT_TENANT,
  id,
  status,
  ...history
}: JobRecord): Item => ({
  ...newJobItem(tenant, id, status),
  ...history,
});

const BEFORE_FIRST_YEAR = `must be of the year ${FIRST_YEAR} or later: was the year written with two digits?`;

function application(
  { type: kind, tenant = DEFAULT_TENANT, ...given }: ApplicationRecord,
  { expireAfterDays, checkFile = refuseFile, now }: ParseOptions,
): RecordItem | Refusal {
  if ((given.revision ?? 0) > (now ?? Date.now()) + CLOCK_MARGIN_MS) return AHEAD;
  for (const name of fileAttributes) {
    const fault = given[name]?.startsWith('s3://') && checkFile(given[name], tenant);
    if (fault) return refusalOf(`/${name}`, fault);
  }
  if (given.created_at < FIRST_YEAR) return refusalOf('/created_at', BEFORE_FIRST_YEAR);
  const own = given.expires_at ?? undefined;
  const hasOwnExpiry = own !== undefined;
  const expiry = hasOwnExpiry
    ? deletableExpiry(own, now)
    : expireAfterDays && expiryOf(given.created_at, expireAfterDays, now);
  const fields = expiry ? { ...given, [keyAttributes.timeToLive]: expiry } : given;
  const item = applicationItem(tenant, given.job_id, given.user_id, fields);
  return { kind, item, hasOwnExpiry };
}

/** Otherwise, it would keep all later writes out, and outlast an erasure. */
const AHEAD = refusalOf(
  `/${revisionAttributes.revision}`,
  'must be at most a minute ahead of the present time',
);

const removalItem = (
  { tenant = DEFAULT_TENANT, job_id, user_id, ...rest }: RemovalRecord,
  now?: number,
): Item => ({
  ...applicationKey(tenant, job_id, user_id),
  [revisionAttributes.removed]: true,
  ...tombstone(rest, now),
});

const erasureItem = (
  { tenant = DEFAULT_TENANT, user_id, ...rest }: ErasureRecord,
  now?: number,
): Item => ({
  ...erasureKey(tenant, user_id),
  ...tombstone(rest, now),
});

const tombstone = (
  { revision, expires_at }: Pick<ErasureRecord, 'revision' | 'expires_at'>,
  now?: number,
) => ({
  [revisionAttributes.revision]: revision,
  [keyAttributes.timeToLive]: deletableExpiry(expires_at, now),
});

/**
 * Without members that are null, undefined or an empty text that counts as missing. Times and profiles get the
 * contract's format.
 */
function storedForm<T>(schema: SchemaObject, value: T): T;
function storedForm(schema: SchemaObject, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => storedForm(schema.items, entry));
  if (isObject(value)) {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = storedForm(schema.properties[name], value[name]) ?? null;
      if (member !== null) copy[name] = member;
    }
    return copy;
  }
  return typeof value === 'string' ? storedText(value, schema) : value;
}
