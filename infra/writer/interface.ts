import type {
  GetItemCommand,
  GetItemCommandOutput,
  PutItemCommand,
  PutItemCommandOutput,
  UpdateItemCommand,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { ApplicationRecord, JobRecord } from './record-types.ts';

interface SendOptions {
  abortSignal?: AbortSignal;
}

/** A `DynamoDBClient` or a `DynamoDBDocumentClient` of the AWS SDK for JavaScript, version 3. */
export interface Client {
  send(command: GetItemCommand, options?: SendOptions): Promise<GetItemCommandOutput>;
  send(command: PutItemCommand, options?: SendOptions): Promise<PutItemCommandOutput>;
  send(command: UpdateItemCommand, options?: SendOptions): Promise<UpdateItemCommandOutput>;
}

/** A moment by both clocks, in milliseconds: the wall clock, and one that only goes forward. */
export interface Moment {
  date: number;
  monotonic: number;
}

/** The settings of a writer. A setting that the deployment has too must have the same value. */
export interface WriterSettings {
  client: Client;
  /** The name of the deployment's table. */
  table: string;
  /** The deployment's `tenantClaim`: `none`, or the name of a claim. Every record then names its tenant. */
  tenantClaim: string;
  /** The deployment's `filesBucket`. Without it, every S3 URI of a file is refused. */
  filesBucket?: string | undefined;
  /** Days after `created_at` at which an application expires if neither its record nor the table says when. */
  expireAfterDays?: number | undefined;
  /** The lifetime of a removal's tombstone in days, by default 30. Choose more than any queue keeps a message. */
  tombstoneDays?: number | undefined;
  /** Returns the present time; by default the system's. */
  clock?: (() => Moment) | undefined;
}

/** A record to write. `type` may be left out. */
export type ApplicationToPut = Omit<ApplicationRecord, 'type' | 'revision'> & {
  readonly type?: 'application' | undefined;
};
export type JobToCreate = Pick<JobRecord, 'tenant' | 'id' | 'status'> & {
  readonly type?: 'job' | undefined;
};
export type ApplicationId = Pick<ApplicationRecord, 'tenant' | 'job_id' | 'user_id'>;

/** An invalid member of a record. It shows the names of members but never a value, which may be personal data. */
export interface Fault {
  /** The JSON Pointer of the member (RFC 6901), with long or unprintable names changed; empty for the whole record. */
  readonly member: string;
  /** What the member must be, as the end of a sentence that begins with the pointer. */
  readonly rule: string;
}

/** Writes single records. Each method is safe to repeat, and throws `InvalidRecord` for a record that it refuses. */
export interface RecordWriter {
  /**
   * Stores an application with all its members: one read of at most one read unit, and one conditional write. The
   * `expires_at` that is stored stays, unless the record has one.
   * @param revision when the application was changed at its source, in milliseconds since 1970.
   * @returns `older` if a newer write, a removal or an erasure of the candidate makes the record obsolete.
   */
  putApplication(record: ApplicationToPut, revision: number): Promise<'stored' | 'older'>;
  /**
   * Removes an application with one conditional write, and leaves a tombstone, so that older writes have no effect.
   * @param revision when the application was removed at its source, in milliseconds since 1970.
   */
  removeApplication(id: ApplicationId, revision: number): Promise<'removed' | 'older'>;
  /** Creates a job with one conditional write. An existing job stays as it is: the API changes its status. */
  createJob(record: JobToCreate): Promise<'created' | 'exists'>;
}
