import { isObject } from '../../../functions/domain/own-value.ts';
import { keyPrefixOf, locateFile } from '../../../functions/domain/s3-uri.ts';
import { splitList } from '../../../functions/domain/split-list.ts';
import { revisionAttributes } from '../../../functions/store/items.ts';
import { createJobItem, putApplicationItem, putTombstone } from '../records/conditional-writes.ts';
import { isDays, MAX_DAYS, SECONDS_A_DAY, TOMBSTONE_DAYS } from '../records/expiry.ts';
import { recordSchemas } from '../records/record-schema.ts';
import {
  DEFAULT_TENANT,
  type ParseOptions,
  parseApplicationRecord,
  parseJobRecord,
  parseRemovalRecord,
  parseWith,
  TOO_LARGE,
} from '../records/records.ts';
import { type Refusal, reasonOf, refusalOf } from '../records/refusal.ts';
import type { RecordMembers } from '../records/storable.ts';
import { ItemTooLarge, type Limit } from '../records/transaction.ts';
import type { RecordWriter, WriterSettings } from './interface.ts';

export class InvalidRecord extends Error {
  readonly faults: Refusal['faults'];

  constructor(refusal: Refusal) {
    super(`Invalid record: ${reasonOf(refusal)}`);
    this.name = 'InvalidRecord';
    this.faults = refusal.faults;
  }
}

const parsers = {
  application: parseApplicationRecord,
  removal: parseRemovalRecord,
  job: parseJobRecord,
};
const { revision: REVISION } = revisionAttributes;
/**
 * Members that live writes may not have: the writer sets some itself, and the rest come only from the API or an import.
 */
const EXCLUDED: Readonly<Record<keyof typeof parsers, readonly string[]>> = {
  application: [REVISION],
  removal: [REVISION, 'expires_at'],
  job: Object.keys(recordSchemas.job.properties).filter(
    (name) => !['type', 'tenant', 'id', 'status'].includes(name),
  ),
};
const BUCKETS = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9](,[a-z0-9][a-z0-9-]{1,61}[a-z0-9])?$/;

const rules: Readonly<Record<string, { isValid: (value: unknown) => boolean; rule: string }>> = {
  client: {
    isValid: (value) => typeof value === 'object' && value !== null && 'send' in value,
    rule: 'a DynamoDBClient or a DynamoDBDocumentClient',
  },
  table: { isValid: isText(/^[\w.-]{3,255}$/), rule: 'the name of the table' },
  tenantClaim: { isValid: isText(/^\S+$/), rule: '`none` or the name of a claim' },
  filesBucket: {
    isValid: isOptional(isText(BUCKETS)),
    rule: 'the name of a bucket, or two, separated by a comma',
  },
  expireAfterDays: { isValid: isOptional(isDays), rule: `a whole number from 1 to ${MAX_DAYS}` },
  tombstoneDays: { isValid: isOptional(isDays), rule: `a whole number from 1 to ${MAX_DAYS}` },
  clock: { isValid: isOptional((value) => typeof value === 'function'), rule: 'a function' },
};

/** Per call, including all its attempts. */
const LIMIT_MS = 5000;

/** @throws TypeError that names the invalid settings. */
export function recordWriter(settings: WriterSettings, limitMs = LIMIT_MS): RecordWriter {
  checkWriterSettings(settings);
  const table = { client: settings.client, name: settings.table };
  const parse = liveParser(settings);
  const write = async <T>(work: (limit: Limit) => Promise<T>): Promise<T> => {
    const signal = AbortSignal.timeout(limitMs);
    try {
      return await Promise.race([work({ signal }), endOf(signal)]);
    } catch (error) {
      if (signal.aborted) throw new WriteTooLate(limitMs, error);
      if (error instanceof ItemTooLarge) throw new InvalidRecord(TOO_LARGE);
      throw isOfAnotherSdk(error) ? new Error(OTHER_SDK, { cause: error }) : error;
    }
  };
  return {
    async putApplication(record, revision) {
      const application = parse.application(record, revision);
      const { outcome } = await write((limit) => putApplicationItem(table, application, { limit }));
      // Never `unordered`: `parse` requires a revision.
      return outcome === 'unordered' ? 'older' : outcome;
    },
    async removeApplication(id, revision) {
      const { item } = parse.removal(id, revision);
      const outcome = await write((limit) => putTombstone(table, item, { limit }));
      return outcome === 'stored' ? 'removed' : outcome;
    },
    async createJob(record) {
      const { item } = parse.job(record);
      const existing = await write((limit) => createJobItem(table, item, limit));
      return existing === undefined ? 'created' : 'exists';
    },
  };
}

class WriteTooLate extends Error {
  override readonly name = 'WriteTooLate';

  constructor(limitMs: number, cause: unknown) {
    super(`The write took longer than ${limitMs} ms. It may have been applied. Retry it.`, {
      cause,
    });
  }
}

/** The SDK heeds the signal only while it sends a request, not while it waits for credentials. */
const endOf = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

const OTHER_SDK =
  'The client and recruitment-writer use releases of the AWS SDK that do not fit together. Install one ' +
  '@aws-sdk/client-dynamodb for both, 3.1000.0 or later. npm ls @aws-sdk/client-dynamodb shows what is installed.';

/** Commands find the client's middleware by name, and names differ between releases. */
const isOfAnotherSdk = (error: unknown) =>
  error instanceof Error && error.message.includes('is not found when adding');

/**
 * Applies the rules for live writes, and those for imports except the ones about ids that a spreadsheet has spoiled.
 */
function liveParser(settings: WriterSettings) {
  const { tenantClaim, filesBucket, expireAfterDays, tombstoneDays = TOMBSTONE_DAYS } = settings;
  const { clock: now = Date.now } = settings;
  const hasTenants = tenantClaim !== 'none';
  const buckets = splitList(filesBucket);
  const options: ParseOptions = {
    expireAfterDays,
    ...(buckets.length > 0 && {
      checkFile: (uri, tenant) =>
        locateFile(uri, { buckets, keyPrefix: hasTenants ? keyPrefixOf(tenant) : '' }).fault,
    }),
  };

  function parse(kind: keyof typeof parsers, given: unknown, added: RecordMembers) {
    const record = copyOf(given);
    const { type = kind, tenant } = record;
    const refuse = (member: string, rule: string) => {
      throw new InvalidRecord(refusalOf(member, rule));
    };
    if (type !== kind) refuse('/type', `must be ${kind}`);
    if (hasTenants && tenant === undefined) refuse('/tenant', 'is required');
    if (!hasTenants && tenant !== undefined && tenant !== DEFAULT_TENANT) {
      refuse('/tenant', 'must be left out, because tenantClaim is none');
    }
    const excluded = EXCLUDED[kind].find((name) => record[name] !== undefined);
    if (excluded !== undefined) refuse(`/${excluded}`, 'is not for live writes');
    // The schema does not require a revision, because records to import may lack it.
    if (kind === 'application' && (added[REVISION] ?? null) === null) {
      refuse(`/${REVISION}`, 'is required');
    }
    const members = { ...record, type, ...added };
    const result = parseWith(parsers[kind], members, { ...options, now: now() });
    if ('faults' in result) throw new InvalidRecord(result);
    return result;
  }

  return {
    application: (record: unknown, revision: unknown) => parse('application', record, { revision }),
    removal(id: unknown, revision: unknown) {
      const expires_at = Math.floor(now() / 1000) + tombstoneDays * SECONDS_A_DAY;
      return parse('removal', id, { revision, expires_at });
    },
    job: (record: unknown) => parse('job', record, {}),
  };
}

function checkWriterSettings(settings: WriterSettings): void {
  const given: RecordMembers = { ...settings };
  const faults = [
    ...Object.entries(rules)
      .filter(([name, { isValid }]) => !isValid(given[name]))
      .map(([name, { rule }]) => `${name} must be ${rule}`),
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(rules, name))
      .map((name) => `${name} is not a setting`),
  ];
  if (faults.length > 0) throw new TypeError(`Invalid settings: ${faults.join('; ')}.`);
}

function isText(pattern: RegExp) {
  return (value: unknown) => typeof value === 'string' && pattern.test(value);
}

function isOptional(isValid: (value: unknown) => boolean) {
  return (value: unknown) => value === undefined || isValid(value);
}

/** Ensures that the validated values are the stored ones, even if the record changes meanwhile or has getters. */
function copyOf(record: unknown): RecordMembers {
  let copy: unknown;
  try {
    copy = structuredClone(record);
  } catch {
    // Drop the error, whose message quotes the value.
  }
  if (isObject(copy)) return copy;
  throw new InvalidRecord(
    refusalOf('', 'the record must be an object of values that JSON can hold'),
  );
}
