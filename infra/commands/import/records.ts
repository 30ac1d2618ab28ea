import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { formats } from '../../../functions/domain/formats.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import {
  applicationItem,
  fileAttributes,
  type Item,
  newJobItem,
} from '../../../functions/store/items.ts';
import { attributes, candidateIndex } from '../../../functions/store/keys.ts';
import { type FileCheck, fileCheck } from '../cli/files-bucket.ts';
import { expiryOf } from '../retention/expiry.ts';
import { reasonOf } from './reasons.ts';
import { applicationLine, instantKeyword, jobLine } from './record-schema.ts';
import { itemBytes, MAX_ITEM_BYTES, storableFormats } from './storable.ts';

/** The reason for a line that is not a JSON object. */
export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';
const DEFAULT_TENANT = 'default';
/** What programs write for bytes that they cannot decode, as it is or escaped. */
const UNDECODED = /\ufffd|(?<!\\)(?:\\\\)*\\ufffd/i;
const ANOTHER_ENCODING = 'the line contains U+FFFD: the file was read in another encoding';
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const checkLocalFile = fileCheck({});

/** The record that a line of the file describes. */
export interface StoredRecord {
  kind: 'job' | 'application';
  item: Item;
}

/** Why a line is not stored. The reason names members and never shows a value. */
export interface Refusal {
  reason: string;
}

/** How lines are read. */
export interface ReadOptions {
  /** Days after `created_at` at which an application without `expires_at` expires; else it does not. */
  expireAfterDays?: number | undefined;
  /** Says why a file in S3 is refused; by default for the local service. */
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

// It also removes a byte order mark at the start of a line: concatenated files have one on any line.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line: a JSON object whose `type` is `job` or `application`. If two members have the same
 * name, the last one counts.
 * @returns the item to store, the reason why there is none, or undefined for a blank line.
 */
export function readRecord(
  line: Uint8Array,
  { expireAfterDays, checkFile = checkLocalFile }: ReadOptions = {},
): StoredRecord | Refusal | undefined {
  const { text, value } = parse(line);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { reason: NOT_JSON };
  const { type: kind } = value;
  if (kind === 'job') {
    return isJobLine(value) ? stored(kind, itemOfJob(value), text) : refused(isJobLine);
  }
  if (kind === 'application') {
    if (!isApplicationLine(value)) return refused(isApplicationLine);
    const { tenant = DEFAULT_TENANT } = value;
    for (const name of fileAttributes) {
      const fault = value[name]?.startsWith('s3://') && checkFile(value[name], tenant);
      if (fault) return { reason: `/${name} ${fault}` };
    }
    return stored(kind, itemOfApplication(value, expireAfterDays), text);
  }
  return { reason: '/type must be one of job, application' };
}

/** The text and the value of a line: undefined if it is blank, null if it is not JSON in UTF-8. */
function parse(line: Uint8Array): { text: string; value: unknown } {
  let text = '';
  try {
    text = utf8.decode(line);
    return { text, value: text.trim() === '' ? undefined : JSON.parse(text) };
  } catch {
    // The parser's error quotes the text.
    return { text, value: null };
  }
}

const refused = ({ errors }: ValidateFunction): Refusal => ({ reason: reasonOf(errors ?? []) });

function stored(kind: StoredRecord['kind'], item: Item, text: string): StoredRecord | Refusal {
  if (UNDECODED.test(text)) return { reason: ANOTHER_ENCODING };
  if (NUL.test(text)) return { reason: 'the line contains the character NUL' };
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
