import { DynamoDBClient, StreamViewType, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import type { Key } from '../../functions/store/keys.ts';
import type { ServiceState } from '../../infra/command/service-state.ts';
import { createTable } from '../../infra/local/local-table.ts';

export const databaseEnvironment = () => ({
  AWS_ENDPOINT_URL_DYNAMODB: inject('databaseEndpoint'),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});

export const useEmbeddedDatabase = () => Object.assign(process.env, databaseEnvironment());

export const stateWith = (table: TestTable): ServiceState => ({
  pid: process.pid,
  baseUrl: 'http://127.0.0.1:1',
  issuer: 'http://127.0.0.1:2',
  tokenEndpoint: 'http://127.0.0.1:2/token',
  databaseEndpoint: inject('databaseEndpoint'),
  region: 'us-east-1',
  tableName: table.name,
});

/** Defined as in the stack, but under its own name and without a stream. */
export interface TestTable {
  name: string;
  client: DynamoDBDocumentClient;
  put(item: Record<string, unknown>): Promise<void>;
  read(key: Key): Promise<Record<string, unknown> | undefined>;
  /** Only for tests that read the stream: it slows every write. */
  enableStream(): Promise<void>;
}

export async function createTestTable(): Promise<TestTable> {
  useEmbeddedDatabase();
  const client = new DynamoDBClient({});
  const name = `test-${crypto.randomUUID()}`;
  await createTable(client, name);
  const documents = DynamoDBDocumentClient.from(client);
  return {
    name,
    client: documents,
    async put(item) {
      await documents.send(new PutCommand({ TableName: name, Item: item }));
    },
    async read(key) {
      const found = await documents.send(
        new GetCommand({ TableName: name, Key: key, ConsistentRead: true }),
      );
      return found.Item;
    },
    async enableStream() {
      const StreamSpecification = {
        StreamEnabled: true,
        StreamViewType: StreamViewType.NEW_AND_OLD_IMAGES,
      };
      await client.send(new UpdateTableCommand({ TableName: name, StreamSpecification }));
    },
  };
}
