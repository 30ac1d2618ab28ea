import type { ValidateFunction } from 'ajv';
import type { JobStatus } from '../domain/job.ts';
import { applicationKey, candidateKey, jobKey, type Key } from './keys.ts';

/**
 * An item of the table. Only this file and `keys.ts` define attribute names. The fields of an application are
 * attributes with the same names as in the contract.
 */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

/** The attributes that jobs and applications have in common. */
export const itemAttributes = { tenant: 'tenant_id', job: 'job_id' } as const;

export const jobAttributes = {
  status: 'status',
  /** A whole number that each status change increments by one. */
  version: 'version',
  /** The status before the last status change. Only the API's update writes this attribute. */
  previousStatus: 'previous_status',
  /** A whole number that grows with each status change. `setJobStatus` explains how the fence orders attempts. */
  fence: 'fence',
  /** The time of the last status change, by the clock of the function that made the change. */
  changedAt: 'status_changed_at',
  /** The `sub` of the access token with which the status was changed. */
  changedBy: 'status_changed_by',
  /** The pseudonym of `changedBy`, for the event. */
  actor: 'last_change_actor',
  changeId: 'last_change_id',
} as const;

/** The attributes that order the live writes of an application. */
export const revisionAttributes = {
  /** The time when the source changed the application, in milliseconds since 1970. Optional in an import. */
  revision: 'revision',
  /** True in a tombstone, the item that takes the place of a removed application. */
  removed: 'removed',
} as const;

/** The fields of an application that may be stored as `s3://BUCKET/KEY`. A response has a presigned URL instead. */
export const fileAttributes = ['resume_url', 'video_url'] as const;

/** Returns a job whose status was never changed. */
export function newJobItem(tenant: string, job: string, status: JobStatus): Item {
  return {
    ...jobKey(tenant, job),
    [itemAttributes.tenant]: tenant,
    [itemAttributes.job]: job,
    [jobAttributes.status]: status,
    [jobAttributes.version]: 1,
  };
}

/** Returns an application, with the keys of the table and of the index by candidate. */
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

/** Returns the place and the kind of each fault that a validator found in an item, without the item's values. */
export const faultsOf = ({ errors }: Pick<ValidateFunction, 'errors'>): string =>
  `${errors?.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim())}`;
