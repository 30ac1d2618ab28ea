import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { applicationKey, applicationOf, isExpired } from './application.ts';
import { Refused, variable } from './http.ts';

const client = new DynamoDBClient({});
const tableName = variable('TABLE_NAME');

/** Reads an application with the SDK as it comes. */
export async function readApplication(job: string, candidate: string) {
  const { pk, sk } = applicationKey(job, candidate);
  const { Item: stored } = await client.send(
    new GetItemCommand({ TableName: tableName, Key: { pk: { S: pk }, sk: { S: sk } } }),
  );
  const item = stored && unmarshall(stored);
  if (item === undefined || isExpired(item)) throw new Refused(404, 'There is no application.');
  return applicationOf(item);
}
