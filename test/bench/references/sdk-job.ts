import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { jobKey, statusUpdate, statusValues } from './application.ts';
import { Refused, variable } from './http.ts';

const client = new DynamoDBClient({});
const tableName = variable('TABLE_NAME');

/** Sets a job's status with the SDK as it comes, and gives the job's version. */
export async function setStatus(job: string, status: string, actor: string, changeId: string) {
  const { pk, sk } = jobKey(job);
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: { pk: { S: pk }, sk: { S: sk } },
    ...statusUpdate,
    ExpressionAttributeValues: statusValues(status, actor, changeId),
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes: written } = await client.send(command);
    return written?.version?.N;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item === undefined) throw new Refused(404, 'There is no job.');
    return error.Item.version?.N;
  }
}
