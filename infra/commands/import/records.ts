import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { formats } from '../../../functions/domain/formats.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { applicationItem, type Item, newJobItem } from '../../../functions/store/items.ts';
import { attributes, candidateIndex } from '../../../functions/store/keys.ts';
import { expiryOf } from '../retention/expiry.ts';
import { instantKeyword } from './instant.ts';
import { reasonOf } from './reasons.ts';
import { ApplicationRecord, JobRecord } from './record-schema.ts';
import { itemBytes, MAX_ITEM_BYTES, storableFormats } from './storable.ts';

/** The reason for a line that holds no JSON object. */
export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';
const DEFAULT_TENANT = 'default';

/** The record that a line of the file describes. */
export interface StoredRecord {
  kind: 'job' | 'application';
  item: Item;
}

/** Why a line is not stored. The reason names members and never shows a value. */
export interface Refusal {
  reason: string;
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

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  // Each error has the schema that it comes from, which says what is expected.
  verbose: true,
  formats: { ...formats, ...storableFormats },
  keywords: [instantKeyword, 'means'],
});
const isJob = ajv.compile<Job>(JobRecord);
const isApplication = ajv.compile<Application>(ApplicationRecord);

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
  const value = parse(line);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { reason: NOT_JSON };
  const { type: kind } = value;
  if (kind === 'job') {
    return isJob(value) ? stored(kind, itemOfJob(value)) : refused(isJob);
  }
  if (kind === 'application') {
    if (!isApplication(value)) return refused(isApplication);
    return stored(kind, itemOfApplication(value, expireAfterDays));
  }
  return { reason: '/type must be one of job, application' };
}

/** The value of a line; undefined if it is blank, null if it is not JSON: the parser's error quotes the text. */
function parse(line: Uint8Array): unknown {
  try {
    const text = utf8.decode(line);
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    return null;
  }
}

const refused = ({ errors }: ValidateFunction): Refusal => ({ reason: reasonOf(errors ?? []) });

function stored(kind: StoredRecord['kind'], item: Item): StoredRecord | Refusal {
  if (itemBytes(item) <= MAX_ITEM_BYTES) return { kind, item };
  return { reason: `the record is larger than a DynamoDB item may be, ${MAX_ITEM_BYTES} bytes` };
}

function itemOfJob({ type: _, tenant = DEFAULT_TENANT, id, status, ...history }: Job): Item {
  return { ...newJobItem(tenant, id, status), ...history };
}

function itemOfApplication(
  { type: _, tenant = DEFAULT_TENANT, indexed = true, ...given }: Application,
  expireAfterDays?: number,
): Item {
  const expires_at =
    given.expires_at ?? (expireAfterDays && expiryOf(given.created_at, expireAfterDays)) ?? null;
  const fields = withoutNulls({ ...given, [attributes.timeToLive]: expires_at });
  const { [candidateIndex.partitionKey]: candidate, ...item } = applicationItem(
    tenant,
    given.job_id,
    given.user_id,
    fields,
  );
  return indexed ? { ...item, [candidateIndex.partitionKey]: candidate } : item;
}

/** Removes nulls, at any depth: a reader takes what is missing for null. */
export function withoutNulls(value: object): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutTheirNulls(member)]));
}

function withoutTheirNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTheirNulls);
  return isRecord(value) ? withoutNulls(value) : value;
}
