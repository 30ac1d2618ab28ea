import type { ValidateFunction } from 'ajv';
import type { JobStatus } from '../domain/job.ts';
import { applicationKey, candidateKey, jobKey, type Key } from './keys.ts';

/**
 * An item of the table. Only this file and `keys.ts` define names of attributes. An application's fields are
 * attributes, and have the same names as in the contract.
 */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

/** The attributes that both jobs and applications have. */
export const itemAttributes = { tenant: 'tenant_id', job: 'job_id' } as const;

export const jobAttributes = {
  status: 'status',
  /** The job's version: a whole number. Each status change adds 1, and so does an import that replaces the job. */
  version: 'version',
  /**
   * The status before the last status change that was made through the API. Absent if an import has replaced the job
   * since.
   */
  previousStatus: 'previous_status',
  /**
   * The job's fence: a whole number that grows with each status change. `setJobStatus` explains the purpose of the
   * fence.
   */
  fence: 'fence',
  /** The time of the last status change, according to the clock of the function that made the change. */
  changedAt: 'status_changed_at',
  /** The `sub` of the access token in the request that made the last status change. */
  changedBy: 'status_changed_by',
  /** The pseudonym of `changedBy`. Events have this pseudonym as the `actor`. */
  actor: 'last_change_actor',
  changeId: 'last_change_id',
} as const;

/**
 * The attributes that order the live writes of an application. A live write is a write by the platform's own code
 * (`docs/live-data.md`).
 */
export const revisionAttributes = {
  /**
   * The time at which the platform changed the application, as a Unix timestamp in milliseconds. A record for the
   * import may omit the revision.
   */
  revision: 'revision',
  /** True in a tombstone. A tombstone is an item that a live write stores in place of a removed application. */
  removed: 'removed',
} as const;

/**
 * The fields of an application that may be stored as an S3 URI, such as `s3://BUCKET/KEY`. A response has a presigned
 * URL in place of the S3 URI.
 */
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

/** Returns the item of an application, with its key in the table and its key in the `by-candidate` index. */
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
 * Returns the faults that a validator has found in an item. Each fault is described by the faulty member and the
 * violated rule, without any value from the item.
 */
export const faultsOf = ({ errors }: Pick<ValidateFunction, 'errors'>): string =>
  `${errors?.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim())}`;
