import type { SchemaObject, ValidateFunction } from 'ajv';
import { isRecord } from '../../functions/domain/record.ts';
import {
  applicationItem,
  fileAttributes,
  type Item,
  newJobItem,
  revisionAttributes,
} from '../../functions/store/items.ts';
import { applicationKey, attributes, erasureKey } from '../../functions/store/keys.ts';
import { expiryOf } from './expiry.ts';
import { faultsOf, type Refusal, refusalOf } from './faults.ts';
import { type Kind, recordSchemas } from './record-schema.ts';
import type { ApplicationRecord, ErasureRecord, JobRecord, RemovalRecord } from './record-types.ts';
import { instant, itemBytes, MAX_ITEM_BYTES, timestampOf } from './storable.ts';
import { isApplication, isErasure, isJob, isRemoval } from './validators.ts';

export const DEFAULT_TENANT = 'default';
/** The refusal of a record that DynamoDB cannot store, because of its size. */
export const TOO_LARGE = refusalOf(
  '',
  `the record is larger than a DynamoDB item may be, ${MAX_ITEM_BYTES} bytes`,
);
const KIND = refusalOf('/type', `must be one of ${Object.keys(recordSchemas).join(', ')}`);

type Members = Readonly<Record<string, unknown>>;

/** What a record stores. */
export interface StoredRecord {
  kind: Kind;
  item: Item;
  /** Whether the record itself has the item's `expires_at`. */
  hasOwnExpiry: boolean;
}

/** Says why a file may not be given to a tenant, without a part of its S3 URI; undefined if it may. */
export type FileCheck = (uri: string, tenant: string) => string | undefined;

const refuseFile: FileCheck = () => 'is a file in S3, which takes filesBucket';

/** How records are read. */
export interface ReadOptions {
  /** Days after `created_at` at which an application without `expires_at` expires; else it does not. */
  expireAfterDays?: number | undefined;
  /** Says why a file in S3 is refused; by default, every file is. */
  checkFile?: FileCheck;
  /** The present time, in milliseconds since 1970. */
  now?: number | undefined;
}

/**
 * Reads a record: an object whose `type` is a key of `recordSchemas`. The record stays as it is.
 * @returns the item to store, or why there is none.
 */
export function readRecord(value: Members, options: ReadOptions = {}): StoredRecord | Refusal {
  const bytes = itemBytes(value);
  // A list of a million empty entries would have as many faults. A timestamp may be longer than it is stored.
  if (bytes > 2 * MAX_ITEM_BYTES) return TOO_LARGE;
  const read = itemOf(value, options);
  // The item's keys, and the milliseconds that timestamps lack, are less than the other half.
  if ('faults' in read || bytes < MAX_ITEM_BYTES / 2) return read;
  return itemBytes(read.item) > MAX_ITEM_BYTES ? TOO_LARGE : read;
}

function itemOf(value: Members, options: ReadOptions): StoredRecord | Refusal {
  const { type: kind } = value;
  if (kind === 'job') {
    if (!isJob(value)) return refused(kind, isJob);
    return { kind, item: jobItem(storedForm(recordSchemas[kind], value)), hasOwnExpiry: false };
  }
  if (kind === 'application') {
    if (!isApplication(value)) return refused(kind, isApplication);
    return application(storedForm(recordSchemas[kind], value), options);
  }
  if (kind === 'removal') {
    return isRemoval(value)
      ? { kind, item: removalItem(value), hasOwnExpiry: true }
      : refused(kind, isRemoval);
  }
  if (kind === 'erasure') {
    return isErasure(value)
      ? { kind, item: erasureItem(value), hasOwnExpiry: true }
      : refused(kind, isErasure);
  }
  return KIND;
}

const refused = (kind: Kind, { errors }: ValidateFunction): Refusal =>
  faultsOf(recordSchemas[kind], errors ?? []);

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

function application(
  { type: kind, tenant = DEFAULT_TENANT, ...given }: ApplicationRecord,
  { expireAfterDays, checkFile = refuseFile, now }: ReadOptions,
): StoredRecord | Refusal {
  for (const name of fileAttributes) {
    const fault = given[name]?.startsWith('s3://') && checkFile(given[name], tenant);
    if (fault) return refusalOf(`/${name}`, fault);
  }
  const expiry =
    given.expires_at ?? (expireAfterDays && expiryOf(given.created_at, expireAfterDays, now));
  const fields = expiry ? { ...given, [attributes.timeToLive]: expiry } : given;
  const item = applicationItem(tenant, given.job_id, given.user_id, fields);
  const hasOwnExpiry = given.expires_at !== undefined;
  return { kind, item, hasOwnExpiry };
}

const removalItem = ({
  tenant = DEFAULT_TENANT,
  job_id,
  user_id,
  ...rest
}: RemovalRecord): Item => ({
  ...applicationKey(tenant, job_id, user_id),
  [revisionAttributes.removed]: true,
  ...tombstone(rest),
});

const erasureItem = ({ tenant = DEFAULT_TENANT, user_id, ...rest }: ErasureRecord): Item => ({
  ...erasureKey(tenant, user_id),
  ...tombstone(rest),
});

const tombstone = ({ revision, expires_at }: Pick<ErasureRecord, 'revision' | 'expires_at'>) => ({
  [revisionAttributes.revision]: revision,
  [attributes.timeToLive]: expires_at,
});

/**
 * Copies a value as it is stored: without the members that are null or undefined, because a reader takes what
 * is missing for null, and with times in the form of the contract.
 */
function storedForm<T>(schema: SchemaObject, value: T): T;
function storedForm(schema: SchemaObject, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => storedForm(schema.items, entry));
  if (isRecord(value)) {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = value[name] ?? null;
      if (member !== null) copy[name] = storedForm(schema.properties[name], member);
    }
    return copy;
  }
  return typeof value === 'string' && schema.format === instant.format ? timestampOf(value) : value;
}
