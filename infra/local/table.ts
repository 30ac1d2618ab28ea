import { cpSync, createReadStream } from 'node:fs';
import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { fileCheck } from '../commands/cli/files-bucket.ts';
import type { Table } from '../commands/cli/table.ts';
import { importRecords } from '../commands/import/import-records.ts';
import { blockWriter } from '../commands/import/write-block.ts';
import type { Template } from './template.ts';

const SAMPLE = new URL('sample-data.ndjson', import.meta.url);
/** The folder with the files of the sample data. */
const SAMPLE_FILES = new URL('sample-files', import.meta.url);

/**
 * Creates the template's table as `name`, unless the table exists. The table has no stream, because nothing reads a
 * stream locally. With a stream, the embedded DynamoDB would read the stream's whole history at each write.
 */
export async function createTable(
  client: DynamoDBClient,
  template: Template,
  name: string,
): Promise<void> {
  const [properties] = template.resources('AWS::DynamoDB::Table').values();
  if (properties === undefined) throw new Error('The template has no table.');
  const { KeySchema, AttributeDefinitions, BillingMode, GlobalSecondaryIndexes } = properties;
  const definition = { KeySchema, AttributeDefinitions, BillingMode, GlobalSecondaryIndexes };
  try {
    await client.send(new CreateTableCommand({ TableName: name, ...definition }));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: name });
  const { TimeToLiveSpecification } = properties;
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
}

/** Deletes the table `name`, if the table exists. */
export async function dropTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: name })).catch((error) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
}

/** Loads the sample data if the table is empty, and then also copies the sample data's files to `folder`. */
export async function loadSample(table: Table, folder: string): Promise<void> {
  const { Count: count } = await table.client.send(
    new ScanCommand({ TableName: table.name, Limit: 1 }),
  );
  if (count !== 0) return;
  cpSync(SAMPLE_FILES, folder, { recursive: true, force: false });
  await importRecords({
    input: createReadStream(SAMPLE),
    write: blockWriter(table),
    checkFile: fileCheck({}),
    onRefused: (line, reason) => {
      throw new Error(`Line ${line} of the sample data is invalid: ${reason}`);
    },
  });
}
