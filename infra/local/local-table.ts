import { cpSync, createReadStream, mkdirSync } from 'node:fs';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { candidateIndex, keyAttributes } from '../../functions/store/keys.ts';
import { importBlock } from '../data/import/import-block.ts';
import { importRecords } from '../data/import/import-records.ts';
import type { Table } from '../data/records/table.ts';
import { fileCheck } from '../data/table/files-bucket.ts';
import { OWNER_ONLY } from './data-folder.ts';

const SAMPLE = new URL('sample-data.ndjson', import.meta.url);
const SAMPLE_FILES = new URL('sample-files', import.meta.url);

const { partitionKey, sortKey, timeToLive } = keyAttributes;
const { name: IndexName, partitionKey: indexKey } = candidateIndex;

/** Like the stack's table, but without a stream: nothing here reads one, and it would slow down every write. */
export const tableDefinition = {
  KeySchema: [
    { AttributeName: partitionKey, KeyType: 'HASH' },
    { AttributeName: sortKey, KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [partitionKey, sortKey, indexKey].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S' as const,
  })),
  BillingMode: 'PAY_PER_REQUEST',
  GlobalSecondaryIndexes: [
    {
      IndexName,
      KeySchema: [{ AttributeName: indexKey, KeyType: 'HASH' }],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
} satisfies Omit<CreateTableCommandInput, 'TableName'>;

export const timeToLiveDefinition = { AttributeName: timeToLive, Enabled: true };

export async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand({ TableName: name, ...tableDefinition }));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: name });
  const TimeToLiveSpecification = timeToLiveDefinition;
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
}

export async function dropTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: name })).catch((error) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
}

export async function loadSample(table: Table, folder: string): Promise<void> {
  const { Count: count } = await table.client.send(
    new ScanCommand({ TableName: table.name, Limit: 1 }),
  );
  if (count !== 0) return;
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder });
  cpSync(SAMPLE_FILES, folder, { recursive: true, force: false });
  await importRecords({
    input: createReadStream(SAMPLE),
    write: importBlock(table),
    checkFile: fileCheck({}),
    onEntry: ({ line, reason }) => {
      throw new Error(`Line ${line} of the sample data is invalid: ${reason}`);
    },
  });
}
