import type { ValidateFunction } from 'ajv';
import type { JobStatus } from '../domain/job.ts';
import { applicationKey, candidateKey, jobKey, type Key } from './keys.ts';

/** Only this file and `keys.ts` name attributes, except an application's fields, whose names are the contract's. */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

export const itemAttributes = { tenant: 'tenant_id', job: 'job_id' } as const;

export const jobAttributes = {
  status: 'status',
  /** Whole number. A status change adds 1, and so does an import that replaces the job. */
  version: 'version',
  /** Absent before the first change through the API, and once an import has replaced the job. */
  previousStatus: 'previous_status',
  /** Whole number that grows with each status change through the API; `setJobStatus` says why. */
  fence: 'fence',
  /** By the clock of the function that made the change. */
  changedAt: 'status_changed_at',
  /** The token's `sub`. */
  changedBy: 'status_changed_by',
  /** The pseudonym of `changedBy`, for events. */
  actor: 'last_change_actor',
  changeId: 'last_change_id',
} as const;

/** For ordering live writes, which the platform's own code makes (`docs/live-data.md`). */
export const revisionAttributes = {
  /** When the platform changed the application, in milliseconds since 1970. A record for the import may omit it. */
  revision: 'revision',
  /** True in a tombstone, which a live write stores in place of the application that it removes. */
  removed: 'removed',
} as const;

/** May hold an S3 URI, in whose place a response has a presigned URL. */
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

/** Names the faulty members and the violated rules, without any value from the item. */
export const describeFaults = ({ errors }: Pick<ValidateFunction, 'errors'>): string =>
  `${errors?.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim())}`;
