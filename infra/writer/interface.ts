import type { Client } from '../records/interface.ts';
import type { ApplicationRecord, JobRecord } from '../records/record-types.ts';

/** `tenantClaim` and `filesBucket` as in the deployment's settings. */
export interface WriterSettings {
  client: Client;
  /** From the deployment's outputs. */
  table: string;
  /** `none` or the name of a claim. With a claim, all records must name their tenant. */
  tenantClaim: string;
  /** One bucket, or two separated by a comma. Without it, S3 URIs are refused. */
  filesBucket?: string | undefined;
  /**
   * Lifetime of an application, counted from its `created_at`. An `expires_at` in the record or the table takes
   * precedence.
   */
  expireAfterDays?: number | undefined;
  /** Lifetime of a removal's tombstone, by default 30 days. Must be longer than any queue keeps your messages. */
  tombstoneDays?: number | undefined;
  /**
   * Present time by two clocks, in milliseconds: as `Date.now()`, and as `performance.now()`, which never goes back. By
   * default, the system's.
   */
  clock?: (() => { date: number; monotonic: number }) | undefined;
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
   * Replaces the stored application: members that the record lacks are removed, except `expires_at`. Before the write,
   * reads the candidate's erasure, for one read unit.
   * @param revision when the application changed at its source, in milliseconds since 1970.
   * @returns `older` if the record is not stored, because of a newer write, a removal or an erasure of the candidate.
   * @throws InvalidRecord also if the candidate was erased and `revision` is more than five seconds ahead of DynamoDB's
   *   time, because it then does not show that the application came after the erasure.
   */
  putApplication(record: ApplicationToPut, revision: number): Promise<'stored' | 'older'>;
  /**
   * Stores a tombstone in place of the application, even if there is none, so that older writes have no effect.
   * @param revision when the application was removed at its source, in milliseconds since 1970.
   * @returns `older` if a newer write is stored, which stays.
   */
  removeApplication(id: ApplicationId, revision: number): Promise<'removed' | 'older'>;
  /** An existing job stays unchanged, because the API manages its status. */
  createJob(record: JobToCreate): Promise<'created' | 'exists'>;
}
