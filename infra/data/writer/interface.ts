import type { Client } from '../records/published-types.ts';
import type { ApplicationRecord, JobRecord } from '../records/record-types.ts';

/** `tenantClaim` and `filesBucket` must equal the deployment's settings. */
export interface WriterSettings {
  client: Client;
  /** Name of the table, from the deployment's outputs. */
  table: string;
  /** `none` or the name of a claim. With a claim, all records must name their tenant. */
  tenantClaim: string;
  /** One bucket, or two separated by a comma. Without it, S3 URIs are refused. */
  filesBucket?: string | undefined;
  /** Days from `created_at` until an application expires. `expires_at` in the record or the table takes precedence. */
  expireAfterDays?: number | undefined;
  /** Days to keep a removal's tombstone; default 30. Must outlast your messages in any queue. */
  tombstoneDays?: number | undefined;
  /**
   * Milliseconds since 1970; default `Date.now`. Limits how far ahead a `revision` may be, and dates a tombstone's
   * expiry.
   */
  clock?: (() => number) | undefined;
}

export type ApplicationToPut = Omit<ApplicationRecord, 'type' | 'revision'> & {
  readonly type?: 'application' | undefined;
};
export type JobToCreate = Pick<JobRecord, 'tenant' | 'id' | 'status'> & {
  readonly type?: 'job' | undefined;
};
export type ApplicationId = Pick<ApplicationRecord, 'tenant' | 'job_id' | 'user_id'>;

/** All methods are safe to repeat, never overwrite newer data, and throw `InvalidRecord` if they refuse the record. */
export interface RecordWriter {
  /**
   * Replaces the stored application: members that the record lacks are removed, except `expires_at`.
   * @param revision when the application changed at its source, in milliseconds since 1970, at most a minute ahead.
   * @returns `older` if a newer write or removal is stored, `erased` if the candidate was erased since. In both cases,
   *   the record is not stored.
   */
  putApplication(
    record: ApplicationToPut,
    revision: number,
  ): Promise<'stored' | 'older' | 'erased'>;
  /**
   * Removes the application. A tombstone takes its place, even if there was none, so that older writes have no effect.
   * @param revision when the application was removed at its source, in milliseconds since 1970, at most a minute ahead.
   * @returns `older` if a newer write is stored, which is kept.
   */
  removeApplication(id: ApplicationId, revision: number): Promise<'removed' | 'older'>;
  /** An existing job stays unchanged, because the API manages its status. */
  createJob(record: JobToCreate): Promise<'created' | 'exists'>;
}
