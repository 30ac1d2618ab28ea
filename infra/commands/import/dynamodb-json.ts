import { appendFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { countWritten, type RecordWriter } from './import-records.ts';

/**
 * A writer that passes each record on as a line of DynamoDB JSON, the format of DynamoDB's import from S3
 * (Developer Guide, "Amazon S3 import formats"); without a file, it only counts them.
 */
export function dynamoDbJsonWriter(file?: FileHandle): RecordWriter {
  const written = { jobs: 0, applications: 0, expired: 0 };
  return {
    written,
    async add(record) {
      // Synchronously: a promise for each line takes longer than the writing.
      if (file) appendFileSync(file.fd, `${JSON.stringify({ Item: marshall(record.item) })}\n`);
      countWritten(written, record);
    },
    flush: async () => undefined,
  };
}
