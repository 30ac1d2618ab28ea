import type { SchemaObject, ValidateFunction } from 'ajv';
import { isAddressable } from '../../../functions/domain/addressable-identifier.ts';
import { Application } from '../../../functions/domain/application.ts';
import { isIdentifier, MAX_IDENTIFIER_BYTES } from '../../../functions/domain/identifier.ts';
import { isObject, keysOf, ownValue } from '../../../functions/domain/own-value.ts';
import { repair } from '../../../functions/domain/repair.ts';
import {
  applicationItem,
  fileAttributes,
  type Item,
  newJobItem,
  revisionAttributes,
} from '../../../functions/store/items.ts';
import {
  applicationKey,
  erasureKey,
  type Key,
  keyAttributes,
} from '../../../functions/store/keys.ts';
import { deletableExpiry, expiryOf, MAX_DAYS, SECONDS_A_DAY } from './expiry.ts';
import { platformFaults } from './platform-faults.ts';
import { CLOCK_MARGIN_MS, FIRST_YEAR, type RecordKind, recordSchemas } from './record-schema.ts';
import type { ErasureRecord, RemovalRecord } from './record-types.ts';
import { joined, type Refusal, refusalOf, refusalOfErrors } from './refusal.ts';
import {
  itemBytes,
  MAX_ITEM_BYTES,
  type RecordMembers,
  storableIdentifier,
  storedText,
} from './storable.ts';
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
  kind: RecordKind;
  item: Item;
  /** Whether `expires_at` comes from the record itself, and not from `expireAfterDays`. */
  hasOwnExpiry: boolean;
  /** Invalid values that are stored as null, by JSON Pointer. */
  nulled?: RecordMembers;
  /** For the operator; the record is stored anyway. */
  remark?: string;
}

/** Says why the tenant may not use the file in S3, without quoting its URI; undefined if it may. */
type FileCheck = (uri: string, tenant: string) => string | undefined;

const refuseFile: FileCheck = () => 'is a file in S3, but filesBucket is not set';

export interface ParseOptions {
  /** For applications without `expires_at`, counted from `created_at`. By default, they never expire. */
  expireAfterDays?: number | undefined;
  checkFile?: FileCheck;
  /** Stores null for an invalid value that may be null in the API's response. Only `parseRecord` uses this option. */
  nullInvalid?: boolean | undefined;
  /** In milliseconds since 1970. */
  now?: number | undefined;
  /** The lines are a source's whole state, so removals and erasures, which are changes, are refused. */
  isState?: boolean;
}

type Parser = (record: RecordMembers, options: ParseOptions) => RecordItem | Refusal;

export const ID_NAMES: readonly string[] = ['tenant', 'id', 'job_id', 'user_id'];

/**
 * Matches what programs make of long numbers: `1.23457E+11` (in some countries `1,23457E+11`), `gh-1.2E+11`,
 * `ID12345.0`. Does not match UUIDs (a minus sign after a prefix), versions (`v1.0`), or hexadecimal ids (an exponent
 * without sign or fraction).
 */
const RENDERED =
  /^(?:.*:)?[-+]?\d+(?:[.,]0+|[Ee][-+]\d+)$|\d[.,]\d+\+?[Ee][-+]?\d+$|\d(?:[Ee]\+|\+[Ee])\d+$|\d{4}[.,]0+$/s;
const RENDERED_RULE =
  'looks like a number in another notation, such as 1.2E+17 or 12345.0, which may have lost digits: export it again as text, in a spreadsheet by formatting the column as text';

const PLACEHOLDER =
  /^(?:[[({<]?(?:null|none|nil|nan|n\/a|undefined|blank)[\])}>]?|\\n|#[a-z][a-z/_0]*[!?]?)$/i;
const PUNCTUATION = /^[\p{P}\s$+<=>^`|~]+$/u;
const PLACEHOLDER_RULE =
  'is what programs write for a missing value, such as NULL, N/A, - or #REF!, and would make one item of several';

function faultOfIds(record: RecordMembers): Refusal | undefined {
  for (const name of ID_NAMES) {
    const id = ownValue(record, name);
    if (typeof id !== 'string' || id.length > MAX_IDENTIFIER_BYTES) continue;
    if (RENDERED.test(id)) return refusalOf(`/${name}`, RENDERED_RULE);
    if (PLACEHOLDER.test(id) || PUNCTUATION.test(id)) {
      return refusalOf(`/${name}`, PLACEHOLDER_RULE);
    }
  }
  return undefined;
}

const TENANT = new RegExp(storableIdentifier.pattern, 'u');

/** Undefined if an id is missing or invalid. */
export function applicationKeyOf(record: RecordMembers): Key | undefined {
  const { tenant = DEFAULT_TENANT, job_id, user_id } = record;
  if (!isIdentifier(tenant) || !TENANT.test(tenant)) return undefined;
  if (!isAddressable(job_id) || !isAddressable(user_id)) return undefined;
  return faultOfIds(record) === undefined ? applicationKey(tenant, job_id, user_id) : undefined;
}

/**
 * Parses a line of a file. Refuses ids like `1.2E+17` or `NULL`, into which a spreadsheet may turn several different
 * ids. In removals and erasures, they are allowed, to reach whatever is stored.
 */
export function parseRecord(
  record: RecordMembers,
  options: ParseOptions = {},
): RecordItem | Refusal {
  const parsers: Readonly<Record<RecordKind, Parser>> = {
    job: parseJobRecord,
    application: parseApplicationRecord,
    removal: parseRemovalRecord,
    erasure: parseErasureRecord,
  };
  const kinds = keysOf(parsers);
  const kind = kinds.find((name) => name === record.type);
  if (kind === undefined) return refusalOf('/type', `must be one of ${kinds.join(', ')}`);
  const isOfState = kind === 'job' || kind === 'application';
  if (options.isState && !isOfState) return refusalOf('/type', STATE_RULE);
  const fault = isOfState ? faultOfIds(record) : undefined;
  if (fault) return fault;
  const parsed = parseWith(parsers[kind], record, options);
  const isRepairable = 'faults' in parsed && parsed !== TOO_LARGE && kind === 'application';
  return (isRepairable && options.nullInvalid && parseWithNulls(record, options)) || parsed;
}

const STATE_RULE =
  'must be job or application in a file for --complete-at: import removals and erasures without it';

/** Repairs as the API does when it reads. Undefined if no value becomes null. */
function parseWithNulls(record: RecordMembers, options: ParseOptions) {
  if (isApplicationRecord(record)) return undefined;
  const { value, repaired } = repair(Application, record, isApplicationRecord.errors);
  const nulled = repaired.filter(({ after }) => after === null);
  if (!isObject(value) || nulled.length === 0) return undefined;
  const parsed = parseWith(parseApplicationRecord, value, options);
  if ('faults' in parsed) return parsed;
  const values = nulled.map(({ path, before }) => [path, before]);
  return { ...parsed, nulled: Object.fromEntries(values) };
}

export function parseWith(
  parser: Parser,
  record: RecordMembers,
  options: ParseOptions,
): RecordItem | Refusal {
  // Check before the validation, which could list a million faults. A record may be larger than its item, because a
  // time may have more digits than are stored.
  const limit = 2 * MAX_ITEM_BYTES;
  const bytes = itemBytes(record, limit);
  if (bytes > limit) return TOO_LARGE;
  const parsed = parser(record, options);
  // The item has keys and milliseconds that its record lacks. Below half the limit, they always fit.
  if ('faults' in parsed || bytes < MAX_ITEM_BYTES / 2) return parsed;
  return itemBytes(parsed.item) > MAX_ITEM_BYTES ? TOO_LARGE : parsed;
}

const refused = ({ errors }: ValidateFunction): Refusal => refusalOfErrors(errors ?? []);

export const parseJobRecord: Parser = (record) => {
  if (!isJobRecord(record)) return refused(isJobRecord);
  const job = storedForm(recordSchemas.job, record);
  const { type: kind, tenant = DEFAULT_TENANT, id, status, ...history } = job;
  return { kind, item: { ...newJobItem(tenant, id, status), ...history }, hasOwnExpiry: false };
};

/** A revision further ahead would block all later writes, and let an application outlast an erasure. */
const AHEAD = refusalOf(
  `/${revisionAttributes.revision}`,
  'must be at most a minute ahead of the present time',
);
const latestRevision = (now = Date.now()) => now + CLOCK_MARGIN_MS;
const LOWERED =
  'has a revision further ahead than clocks may differ: the erasure counts as of a minute from now';
const BEFORE_FIRST_YEAR = refusalOf(
  '/created_at',
  `must be of the year ${FIRST_YEAR} or later: was the year written with two digits?`,
);

export const parseApplicationRecord: Parser = (
  record,
  { expireAfterDays, checkFile = refuseFile, now },
) => {
  const faults = platformFaults(recordSchemas.application, record);
  if (!isApplicationRecord(record) || faults.length > 0) {
    return joined(faults, refused(isApplicationRecord));
  }
  const application = storedForm(recordSchemas.application, record);
  const { type: kind, tenant = DEFAULT_TENANT, ...given } = application;
  if ((given.revision ?? 0) > latestRevision(now)) return AHEAD;
  for (const name of fileAttributes) {
    const fault = given[name]?.startsWith('s3://') && checkFile(given[name], tenant);
    if (fault) return refusalOf(`/${name}`, fault);
  }
  if (given.created_at < FIRST_YEAR) return BEFORE_FIRST_YEAR;
  const own = given.expires_at ?? undefined;
  const hasOwnExpiry = own !== undefined;
  const expiry = hasOwnExpiry
    ? deletableExpiry(own, now)
    : expireAfterDays && expiryOf(given.created_at, expireAfterDays, now);
  const fields = expiry ? { ...given, [keyAttributes.timeToLive]: expiry } : given;
  const item = applicationItem(tenant, given.job_id, given.user_id, fields);
  return { kind, item, hasOwnExpiry };
};

export const parseRemovalRecord: Parser = (record, { now }) => {
  if (!isRemovalRecord(record)) return refused(isRemovalRecord);
  const { tenant = DEFAULT_TENANT, job_id, user_id, revision } = record;
  if (revision > latestRevision(now)) return AHEAD;
  const key = applicationKey(tenant, job_id, user_id);
  return blockingItem({ ...key, [revisionAttributes.removed]: true }, record, now);
};

/**
 * Not exported: live writes do not store erasures, so the writer's package needs neither this parser nor its validator.
 */
const parseErasureRecord: Parser = (record, { now }) => {
  if (!isErasureRecord(record)) return refused(isErasureRecord);
  const { tenant = DEFAULT_TENANT, user_id, revision } = record;
  const key = { ...erasureKey(tenant, user_id) };
  const latest = latestRevision(now);
  const erasure = blockingItem(key, { ...record, revision: Math.min(revision, latest) }, now);
  // Lower the revision instead of refusing the record: an export of the table must stay restorable.
  return revision <= latest || 'faults' in erasure ? erasure : { ...erasure, remark: LOWERED };
};

/** Blocks older writes under its ids until it expires. */
function blockingItem(
  item: Item,
  { type: kind, revision, expires_at }: RemovalRecord | ErasureRecord,
  now = Date.now(),
): RecordItem | Refusal {
  if (expires_at > now / 1000 + MAX_DAYS * SECONDS_A_DAY) {
    return refusalOf('/expires_at', `must be at most ${MAX_DAYS} days ahead`);
  }
  const expiry = { [keyAttributes.timeToLive]: deletableExpiry(expires_at, now) };
  return {
    kind,
    item: { ...item, [revisionAttributes.revision]: revision, ...expiry },
    hasOwnExpiry: true,
  };
}

/**
 * Drops undefined members, and described ones that are null or an empty text that counts as missing. Times and profiles
 * get the contract's format.
 */
function storedForm<T>(schema: SchemaObject, value: T): T;
function storedForm(schema: SchemaObject | undefined, value: unknown): unknown;
function storedForm(schema: SchemaObject | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => storedForm(schema?.items, entry));
  if (isObject(value)) {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const described: SchemaObject | undefined = ownValue(schema?.properties ?? {}, name);
      const member = storedForm(described, value[name]);
      if (member !== undefined && (member !== null || !described)) copy[name] = member;
    }
    return copy;
  }
  return schema && typeof value === 'string' ? storedText(value, schema) : value;
}
