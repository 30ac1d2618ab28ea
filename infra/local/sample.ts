import { createReadStream } from 'node:fs';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { importRecords } from '../operations/import/import-records.ts';

const SAMPLE = new URL('sample-data.ndjson', import.meta.url);

/** Loads the sample data into the table `tableName`, where it is empty. */
export async function loadSample(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  const { Count: count } = await client.send(new ScanCommand({ TableName: tableName, Limit: 1 }));
  if (count !== 0) return;
  await importRecords({
    input: createReadStream(SAMPLE),
    client,
    tableName,
    onRefused: (line, reason) => {
      throw new Error(`The sample data is wrong in line ${line}: ${reason}`);
    },
  });
}
