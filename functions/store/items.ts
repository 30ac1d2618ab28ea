import type { ValidateFunction } from 'ajv';
import type { JobStatus } from '../domain/job.ts';
import { applicationKey, candidateKey, jobKey, type Key } from './keys.ts';

/**
 * An item of the table. Attribute names are defined only here and in `keys.ts`; the fields of an application
 * have those of the contract.
 */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

/** The attributes that jobs and applications share. */
export const itemAttributes = { tenant: 'tenant_id', job: 'job_id' } as const;

export const jobAttributes = {
  status: 'status',
  /** A whole number, which grows by one with each change of the status. */
  version: 'version',
  /** The status before the last change. Only the service's own update writes it. */
  previousStatus: 'previous_status',
  /** A whole number, which each change of the status makes greater: it orders attempts of updates. */
  fence: 'fence',
  /** When the status was last changed, a timestamp by the clock of the function that changed it. */
  changedAt: 'status_changed_at',
  /** Who changed it: the `sub` of the access token. */
  changedBy: 'status_changed_by',
  /** The same as its pseudonym, for the event. */
  actor: 'last_change_actor',
  changeId: 'last_change_id',
} as const;

/** The attributes by which live writes of an application are ordered. */
export const revisionAttributes = {
  /** The time of the change at its source, in milliseconds since 1970. An import may leave it out. */
  revision: 'revision',
  /** True in a tombstone, which stays where an application was removed. */
  removed: 'removed',
} as const;

/** The fields of an application that may be stored as `s3://BUCKET/KEY`: the response has a presigned URL. */
export const fileAttributes = ['resume_url', 'video_url'] as const;

/** A job that was never changed. */
export function newJobItem(tenant: string, job: string, status: JobStatus): Item {
  return {
    ...jobKey(tenant, job),
    [itemAttributes.tenant]: tenant,
    [itemAttributes.job]: job,
    [jobAttributes.status]: status,
    [jobAttributes.version]: 1,
  };
}

/** An application, found by its job and, through the index, by its candidate. */
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

/** How an item does not fit its schema: the place and kind of each fault, never a value. */
export const faultsOf = ({ errors }: Pick<ValidateFunction, 'errors'>): string =>
  `${errors?.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim())}`;
