import { marshall } from '@aws-sdk/util-dynamodb';
import { applicationAttributes } from '../../../functions/store/items.ts';
import type { OutputFile } from '../../cli/files.ts';
import type { StoredRecord } from './records.ts';

/** How many records were written. */
export interface Written {
  job: number;
  application: number;
  /** The applications among them that have already expired. */
  expired: number;
}

/** Where an import writes its records. */
export interface RecordWriter {
  readonly written: Readonly<Written>;
  /** The line of the first record that was added and is not written, if there is one. */
  readonly firstUnwritten: number | undefined;
  /** After a failure, how many records more may be written: no response says whether they are. */
  readonly uncertain?: number;
  /** Aborted, with the reason that the other members throw, as soon as a record cannot be written. */
  readonly failure?: AbortSignal;
  /** Takes the record of a line that has `bytes` bytes; returns when there is room for the next one. */
  add(record: StoredRecord, line: number, bytes: number): Promise<void>;
  /** Writes all that was added. */
  flush(): Promise<void>;
  /** Waits until nothing is being written; never rejects. */
  settled(): Promise<void>;
}

/** Counts a record that was written. */
export function countWritten(written: Written, { kind, item }: StoredRecord): void {
  written[kind] += 1;
  if (Number(item[applicationAttributes.expiresAt]) * 1000 <= Date.now()) written.expired += 1;
}

/**
 * A writer that passes each record on as a line of DynamoDB JSON, the format of DynamoDB's import from S3
 * (Developer Guide, "Amazon S3 import formats"), and never has an unwritten one; without a file, it only
 * counts them.
 */
export function dynamoDbJsonWriter(file?: OutputFile): RecordWriter {
  const written = { job: 0, application: 0, expired: 0 };
  return {
    written,
    firstUnwritten: undefined,
    async add(record) {
      await file?.write(`${JSON.stringify({ Item: marshall(record.item) })}\n`);
      countWritten(written, record);
    },
    flush: async () => file?.flush(),
    settled: async () => undefined,
  };
}
