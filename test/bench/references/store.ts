import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Rejected } from './http.ts';
import { applicationOf, applicationRead, type StatusChange, statusUpdate } from './items.ts';

/** Reads applications with the SDK. */
export const readingWith = (client: DynamoDBClient) => async (job: string, candidate: string) => {
  const { Item: stored } = await client.send(new GetItemCommand(applicationRead(job, candidate)));
  return applicationOf(stored && unmarshall(stored));
};

/** Sets jobs' statuses with the SDK, and gives a job's version. */
export const settingWith = (client: DynamoDBClient) => async (change: StatusChange) => {
  try {
    const { Attributes: written } = await client.send(new UpdateItemCommand(statusUpdate(change)));
    return written?.version?.N;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item === undefined) throw new Rejected(404, 'There is no job.');
    return error.Item.version?.N;
  }
};
