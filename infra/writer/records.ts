import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { formats } from '../../functions/domain/formats.ts';
import type { JobStatus } from '../../functions/domain/job.ts';
import { isRecord } from '../../functions/domain/record.ts';
import {
  applicationItem,
  fileAttributes,
  type Item,
  newJobItem,
} from '../../functions/store/items.ts';
import { attributes, candidateIndex } from '../../functions/store/keys.ts';
import { expiryOf } from './expiry.ts';
import { reasonOf } from './reasons.ts';
import { applicationLine, instantKeyword, jobLine } from './record-schema.ts';
import { itemBytes, MAX_ITEM_BYTES, storableFormats } from './storable.ts';

const DEFAULT_TENANT = 'default';

/** What a record describes. */
export interface StoredRecord {
  kind: 'job' | 'application';
  item: Item;
}

/** Why a record is not stored. The reason names members and never shows a value. */
export interface Refusal {
  reason: string;
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
}

interface JobLine {
  type: 'job';
  tenant?: string;
  id: string;
  status: JobStatus;
}

interface ApplicationLine {
  type: 'application';
  tenant?: string;
  job_id: string;
  user_id: string;
  created_at: string;
  resume_url?: string | null;
  video_url?: string | null;
  expires_at?: number | null;
  indexed?: boolean;
}

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  // Each error has the schema that it comes from, which says what is expected.
  verbose: true,
  formats: { ...formats, ...storableFormats, 'date-time': fullFormats['date-time'] },
  keywords: [instantKeyword, 'means'],
});
const isJobLine = ajv.compile<JobLine>(jobLine);
const isApplicationLine = ajv.compile<ApplicationLine>(applicationLine);

/**
 * Reads a record: an object whose `type` is `job` or `application`.
 * @returns the item to store, or the reason why there is none.
 */
export function readRecord(
  value: Readonly<Record<string, unknown>>,
  { expireAfterDays, checkFile = refuseFile }: ReadOptions = {},
): StoredRecord | Refusal {
  const { type: kind } = value;
  if (kind === 'job') {
    return isJobLine(value) ? stored(kind, itemOfJob(value)) : refused(isJobLine);
  }
  if (kind === 'application') {
    if (!isApplicationLine(value)) return refused(isApplicationLine);
    const { tenant = DEFAULT_TENANT } = value;
    for (const name of fileAttributes) {
      const fault = value[name]?.startsWith('s3://') && checkFile(value[name], tenant);
      if (fault) return { reason: `/${name} ${fault}` };
    }
    return stored(kind, itemOfApplication(value, expireAfterDays));
  }
  return { reason: '/type must be one of job, application' };
}

const refused = ({ errors }: ValidateFunction): Refusal => ({ reason: reasonOf(errors ?? []) });

function stored(kind: StoredRecord['kind'], item: Item): StoredRecord | Refusal {
  if (itemBytes(item) <= MAX_ITEM_BYTES) return { kind, item };
  return { reason: `the record is larger than a DynamoDB item may be, ${MAX_ITEM_BYTES} bytes` };
}

function itemOfJob({ type: _, tenant = DEFAULT_TENANT, id, status, ...history }: JobLine): Item {
  return { ...newJobItem(tenant, id, status), ...history };
}

function itemOfApplication(
  { type: _, tenant = DEFAULT_TENANT, indexed = true, ...given }: ApplicationLine,
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
