import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Template } from './template.ts';

/**
 * Creates the table of the template under `name`, unless it exists. It has no stream: nothing reads
 * one locally, and with one the embedded database reads the whole history at every write.
 */
export async function createTable(
  client: DynamoDBClient,
  template: Template,
  name: string,
): Promise<void> {
  const [properties] = template.resources('AWS::DynamoDB::Table').values();
  if (properties === undefined) throw new Error('The template holds no table.');
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
