import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Template } from './template.ts';

/**
 * Creates the table of the template under `name`, where it does not exist.
 * @returns whether it was created.
 */
export async function createTable(
  client: DynamoDBClient,
  template: Template,
  name: string,
): Promise<boolean> {
  if (await exists(client, name)) return false;
  const [properties] = template.resources('AWS::DynamoDB::Table').values();
  if (properties === undefined) throw new Error('The template holds no table.');
  await client.send(
    new CreateTableCommand({
      TableName: name,
      KeySchema: properties.KeySchema,
      AttributeDefinitions: properties.AttributeDefinitions,
      BillingMode: properties.BillingMode,
      ...(properties.GlobalSecondaryIndexes && {
        GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes,
      }),
      StreamSpecification: { StreamEnabled: true, ...properties.StreamSpecification },
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

async function exists(client: DynamoDBClient, name: string): Promise<boolean> {
  try {
    await client.send(new DescribeTableCommand({ TableName: name }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}
