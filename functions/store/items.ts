import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ValidateFunction } from 'ajv';
import { isExact } from '../domain/decimal.ts';
import type { JobStatus } from '../domain/job.ts';
import { LongNumber } from '../domain/platform-json.ts';
import { applicationKey, candidateKey, jobKey, type Key } from './keys.ts';

export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

export const itemAttributes = { tenant: 'tenant_id', job: 'job_id' } as const;

export const jobAttributes = {
  status: 'status',
  version: 'version',
  /** Absent before the first change through the API, and after an import has replaced the job. */
  previousStatus: 'previous_status',
  /** See `setJobStatus`. */
  fence: 'fence',
  /** By the clock of the function that made the change. */
  changedAt: 'status_changed_at',
  /** The token's `sub` or, without one, its client. `actor` is the pseudonym for events. */
  changedBy: 'status_changed_by',
  actor: 'last_change_actor',
  changeId: 'last_change_id',
} as const;

/** For the platform's live writes (`docs/live-data.md`). */
export const revisionAttributes = {
  /** When the platform changed the application, in milliseconds since 1970. */
  revision: 'revision',
  /** True in a tombstone, which a live write stores in place of a removed application. */
  removed: 'removed',
} as const;

/** May hold S3 URIs, which are presigned in the response. */
export const fileAttributes = ['resume_url', 'video_url'] as const;

export function newJobItem(tenant: string, job: string, status: JobStatus): Item {
  return {
    ...jobKey(tenant, job),
    [itemAttributes.tenant]: tenant,
    [itemAttributes.job]: job,
    [jobAttributes.status]: status,
    [jobAttributes.version]: 1,
  };
}

export function applicationItem(
  tenant: string,
  job: string,
  candidate: string,
  fields: object,
): Item {
  return {
    ...applicationKey(tenant, job, candidate),
    ...candidateKey(tenant, candidate),
    [itemAttributes.tenant]: tenant,
    [itemAttributes.job]: job,
    ...fields,
  };
}

/**
 * Like the SDK's `unmarshall`, but keeps members called `__proto__`, and numbers that a double cannot hold (as
 * `LongNumber`).
 */
export const unmarshal = (members: Readonly<Record<string, AttributeValue>>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, nativeOf(value)]));

function nativeOf({ S, N, BOOL, M, L, B, SS, NS, BS }: AttributeValue): unknown {
  if (S !== undefined) return S;
  if (N !== undefined) return numberOf(N);
  if (M !== undefined) return unmarshal(M);
  if (L !== undefined) return L.map(nativeOf);
  const set = SS ?? BS ?? NS?.map(numberOf);
  return BOOL ?? B ?? (set && new Set<unknown>(set)) ?? null;
}

function numberOf(literal: string): number | LongNumber {
  const value = Number(literal);
  return isExact(literal, value) ? value : new LongNumber(literal);
}

const MAX_FAULTS = 5;

/** Leaves out the item's values, so it may be logged. */
export const describeFaults = ({ errors }: Pick<ValidateFunction, 'errors'>): string =>
  `${errors?.slice(0, MAX_FAULTS).map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim())}`;
