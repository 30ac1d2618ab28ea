import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Refused, variable } from './http.ts';
import { applicationOf, applicationRead, type StatusChange, statusUpdate } from './items.ts';

/** Reads an application with the SDK. */
export async function readApplication(client: DynamoDBClient, job: string, candidate: string) {
  const command = new GetItemCommand(applicationRead(variable('TABLE_NAME'), job, candidate));
  const { Item: stored } = await client.send(command);
  return applicationOf(stored && unmarshall(stored));
}

/** Sets a job's status with the SDK, and gives the job's version. */
export async function setStatus(client: DynamoDBClient, change: StatusChange) {
  const command = new UpdateItemCommand(statusUpdate(variable('TABLE_NAME'), change));
  try {
    const { Attributes: written } = await client.send(command);
    return written?.version?.N;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item === undefined) throw new Refused(404, 'There is no job.');
    return error.Item.version?.N;
  }
}
