import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

export class Rejected extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const { TABLE_NAME: TableName } = process.env;
const client = new DynamoDBClient({});

export async function readApplication(job: string, candidate: string) {
  const input = {
    TableName,
    Key: {
      pk: { S: `TENANT#default#JOB#${encodeURIComponent(job)}` },
      sk: { S: `APPLICATION#${encodeURIComponent(candidate)}` },
    },
  };
  const { Item: stored } = await client.send(new GetItemCommand(input));
  const item = stored && unmarshall(stored);
  // DynamoDB may delete an expired item days late.
  if (item === undefined || item.expires_at <= Date.now() / 1000) {
    throw new Rejected(404, 'There is no application.');
  }
  return {
    user_id: item.user_id,
    name: item.name,
    email: item.email,
    phone: item.phone ?? null,
    linked_in: item.linked_in ?? null,
    city: item.city ?? null,
    region: item.region ?? null,
    country: item.country ?? null,
    summary: item.summary ?? null,
    position: item.position ?? null,
    education: item.education ?? [],
    experience: item.experience ?? [],
    stage_id: item.stage_id,
    stage_title: item.stage_title,
    score: item.score ?? null,
    created_at: item.created_at,
    resume_url: item.resume_url ?? null,
    video_url: item.video_url ?? null,
    evaluations: item.evaluations ?? [],
  };
}

export async function setStatus(job: string, status: string, actor: string, changeId: string) {
  const command = new UpdateItemCommand({
    TableName,
    Key: { pk: { S: `TENANT#default#JOB#${encodeURIComponent(job)}` }, sk: { S: 'JOB' } },
    UpdateExpression:
      'SET #status = :status, previous_status = #status, version = version + :one, ' +
      'status_changed_at = :now, status_changed_by = :actor, last_change_actor = :actor, ' +
      'last_change_id = :change',
    ConditionExpression: 'attribute_exists(pk) AND #status <> :status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':status': { S: status },
      ':one': { N: '1' },
      ':now': { S: new Date().toISOString() },
      ':actor': { S: actor },
      ':change': { S: changeId },
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes: written } = await client.send(command);
    return written?.version?.N;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (error.Item === undefined) throw new Rejected(404, 'There is no job.');
    return error.Item.version?.N;
  }
}
