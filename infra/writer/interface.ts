import type { Client } from '../records/interface.ts';
import type { ApplicationRecord, JobRecord } from '../records/record-types.ts';

/**
 * The settings of a writer. `tenantClaim` and `filesBucket` must have the same values as in the deployment's
 * settings.
 */
export interface WriterSettings {
  client: Client;
  /** The name of the deployment's table. */
  table: string;
  /** The deployment's `tenantClaim`: `none` or the name of a claim. With a claim, every record must name its tenant. */
  tenantClaim: string;
  /** The deployment's `filesBucket`. By default, the writer refuses every S3 URI of a file. */
  filesBucket?: string | undefined;
  /**
   * The lifetime of an application in days, counted from `created_at`. An `expires_at` in the record or the table takes
   * precedence.
   */
  expireAfterDays?: number | undefined;
  /**
   * The lifetime of a removal's tombstone in days, by default 30. It must exceed the time for which any queue keeps
   * your messages.
   */
  tombstoneDays?: number | undefined;
  /**
   * Returns the present time by two clocks, in milliseconds: as `Date.now()`, and as `performance.now()`, which never goes
   * back. By default, the writer uses the system's clocks.
   */
  clock?: (() => { date: number; monotonic: number }) | undefined;
}

/** An application to store. `type` may be left out. */
export type ApplicationToPut = Omit<ApplicationRecord, 'type' | 'revision'> & {
  readonly type?: 'application' | undefined;
};
/** A job to create. `type` may be left out. */
export type JobToCreate = Pick<JobRecord, 'tenant' | 'id' | 'status'> & {
  readonly type?: 'job' | undefined;
};
/** The ids that identify an application. */
export type ApplicationId = Pick<ApplicationRecord, 'tenant' | 'job_id' | 'user_id'>;

/** A writer of single records. Each method is safe to repeat, and throws `InvalidRecord` if it refuses the record. */
export interface RecordWriter {
  /**
   * Stores an application, and removes stored members that the record lacks. A stored `expires_at` stays unless the
   * record has an `expires_at`. The method makes one read, which takes at most one read unit, and one conditional
   * write.
   * @param revision the time at which the application changed at its source, in milliseconds since 1970.
   * @returns `older` if a newer write, a removal or an erasure of the candidate has made the record obsolete. The
   *   record is then not stored.
   * @throws InvalidRecord also if the candidate was erased and `revision` is more than five seconds ahead of DynamoDB's
   *   time, because it does not show that the application came after the erasure.
   */
  putApplication(record: ApplicationToPut, revision: number): Promise<'stored' | 'older'>;
  /**
   * Removes an application with one conditional write. A tombstone stays in its place, so that older writes have no
   * effect.
   * @param revision the time at which the application was removed at its source, in milliseconds since 1970.
   * @returns `older` if the table holds a newer write. The stored application then stays.
   */
  removeApplication(id: ApplicationId, revision: number): Promise<'removed' | 'older'>;
  /** Creates a job with one conditional write. An existing job stays unchanged, because the API manages its status. */
  createJob(record: JobToCreate): Promise<'created' | 'exists'>;
}
