import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js';
import { formats } from '../../../functions/domain/formats.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import {
  applicationAttributes,
  applicationItem,
  type Item,
  newJobItem,
} from '../../../functions/store/items.ts';
import { candidateIndex } from '../../../functions/store/keys.ts';
import { expiryOf } from '../retention/expiry.ts';
import { instantKeyword } from './instant.ts';
import { reasonOf } from './reasons.ts';
import { ApplicationRecord, JobRecord } from './record-schema.ts';
import { itemBytes, MAX_ITEM_BYTES, storableFormats } from './storable.ts';

const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';
const DEFAULT_TENANT = 'default';
/** For a longer line only the first error is reported: it may have a million, at a kilobyte each. */
const LONGEST_EXPLAINED = 64 * 1024;

/** The record that a line of the file describes. */
export interface StoredRecord {
  kind: 'job' | 'application';
  item: Item;
}

/** Why a line is not stored. The reason names members and never shows a value. */
export interface Refusal {
  reason: string;
  /** Whether the line holds no JSON object at all. */
  isUnreadable?: boolean;
}

interface Job {
  type: string;
  tenant?: string;
  id: string;
  status: JobStatus;
}

interface Application {
  type: string;
  tenant?: string;
  job_id: string;
  user_id: string;
  created_at: string;
  expires_at?: number | null;
  indexed?: boolean;
}

const options = {
  strict: true,
  allowUnionTypes: true,
  // Each error has the schema that it comes from, which says what is expected.
  verbose: true,
  formats: { ...formats, ...storableFormats },
  keywords: [instantKeyword, 'means'],
};
const readers = {
  job: reader<Job>(JobRecord, itemOfJob),
  application: reader<Application>(ApplicationRecord, itemOfApplication),
};

// It also removes a byte order mark at the start of a line: concatenated files have one on any line.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line: a JSON object whose `type` is `job` or `application`. If two members have the same
 * name, the last one counts. An application without `expires_at` expires `expireAfterDays` after its
 * `created_at`, if that is given.
 * @returns the item to store, the reason why there is none, or undefined for a blank line.
 */
export function readRecord(
  line: Uint8Array,
  expireAfterDays?: number,
): StoredRecord | Refusal | undefined {
  const text = attempt(() => utf8.decode(line));
  if (text === undefined) return { reason: 'the line is not UTF-8', isUnreadable: true };
  if (text.trim() === '') return undefined;
  // The parser's error is dropped, because it quotes the text.
  const value = attempt(() => JSON.parse(text));
  if (!isRecord(value)) return { reason: NOT_JSON, isUnreadable: true };
  const { type: kind } = value;
  if (kind !== 'job' && kind !== 'application') {
    return { reason: '/type must be one of job, application' };
  }
  const read = readers[kind](value, text.length <= LONGEST_EXPLAINED, expireAfterDays);
  if ('reason' in read) return read;
  if (itemBytes(read.item) <= MAX_ITEM_BYTES) return { kind, item: read.item };
  return { reason: `the record is larger than a DynamoDB item may be, ${MAX_ITEM_BYTES} bytes` };
}

/** What the work returns; undefined if it fails. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** What reads a value as a record that a schema describes. */
function reader<T>(schema: SchemaObject, itemOf: (record: T, expireAfterDays?: number) => Item) {
  const isValid = new Ajv2020(options).compile<T>(schema);
  const isWhollyValid = new Ajv2020({ ...options, allErrors: true }).compile<T>(schema);
  return (
    value: unknown,
    isExplained: boolean,
    expireAfterDays?: number,
  ): { item: Item } | Refusal => {
    if (isValid(value)) return { item: itemOf(value, expireAfterDays) };
    const validate = isExplained ? isWhollyValid : isValid;
    validate(value);
    return { reason: reasonOf(validate.errors ?? []) };
  };
}

function itemOfJob({ type: _, tenant = DEFAULT_TENANT, id, status, ...history }: Job): Item {
  return { ...newJobItem(tenant, id, status), ...history };
}

function itemOfApplication(
  { type: _, tenant = DEFAULT_TENANT, indexed = true, ...given }: Application,
  expireAfterDays?: number,
): Item {
  const isUnlimited = expireAfterDays === undefined || typeof given.expires_at === 'number';
  const { [candidateIndex.partitionKey]: candidate, ...item } = applicationItem(
    tenant,
    given.job_id,
    given.user_id,
    {
      ...withoutNulls(given),
      ...(!isUnlimited && {
        [applicationAttributes.expiresAt]: expiryOf(given.created_at, expireAfterDays),
      }),
    },
  );
  return indexed ? { ...item, [candidateIndex.partitionKey]: candidate } : item;
}

/** Removes nulls, at any depth: a reader takes what is missing for null. */
export function withoutNulls(value: object): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, stored(member)]));
}

function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stored);
  return isRecord(value) ? withoutNulls(value) : value;
}
