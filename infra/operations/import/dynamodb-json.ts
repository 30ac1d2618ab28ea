import { marshall } from '@aws-sdk/util-dynamodb';
import type { OutputFile } from '../../cli/files.ts';
import { countWritten, type RecordWriter } from './import-records.ts';

/**
 * A writer that passes each record on as a line of DynamoDB JSON, the format of DynamoDB's import from S3
 * (Developer Guide, "Amazon S3 import formats"); without a file, it only counts them.
 */
export function dynamoDbJsonWriter(file?: OutputFile): RecordWriter {
  const written = { jobs: 0, applications: 0, expired: 0 };
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
