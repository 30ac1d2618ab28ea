import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Template } from './template.ts';

/**
 * Creates the table of the template under `name`, unless it exists. It has no stream: nothing reads
 * one locally, and with one the embedded database reads the whole history at every write.
 * @returns whether it was created.
 * @throws Error if the existing table lacks an index of the template.
 */
export async function createTable(
  client: DynamoDBClient,
  template: Template,
  name: string,
): Promise<boolean> {
  const [properties] = template.resources('AWS::DynamoDB::Table').values();
  if (properties === undefined) throw new Error('The template holds no table.');
  if (await exists(client, name, properties.GlobalSecondaryIndexes)) return false;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: properties.KeySchema,
      AttributeDefinitions: properties.AttributeDefinitions,
      BillingMode: properties.BillingMode,
      ...(properties.GlobalSecondaryIndexes && {
        GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes,
      }),
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: name });
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: properties.TimeToLiveSpecification,
    }),
  );
  return true;
}

async function exists(
  client: DynamoDBClient,
  name: string,
  indexes: GlobalSecondaryIndex[] = [],
): Promise<boolean> {
  try {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const present = new Set(table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
    const missing = indexes.find(({ IndexName }) => !present.has(IndexName));
    if (missing === undefined) return true;
    throw new Error(
      `The table ${name} is from an earlier version and has no index ${missing.IndexName}. Delete the ` +
        'data and load the sample data again with npm start -- --reset.',
    );
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}
