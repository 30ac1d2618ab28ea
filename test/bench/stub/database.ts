import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isSigned } from '../../support/signature.ts';
import { storedApplication, storedJob } from './items.ts';

/** What of a request to DynamoDB decides the answer. */
interface DatabaseRequest {
  Key: { pk: { S: string }; sk: { S: string } };
  ReturnConsumedCapacity?: string;
  ReturnValues?: string;
  ExpressionAttributeValues?: Record<string, unknown>;
}

interface DatabaseAnswer {
  status?: number;
  document: Record<string, unknown>;
}

const NAMESPACE = 'com.amazonaws.dynamodb.v20120810';
const application = marshall(storedApplication);

const isKeyOf = (item: { pk: string; sk: string }, { pk, sk }: DatabaseRequest['Key']) =>
  item.pk === pk.S && item.sk === sk.S;

function getItem({ Key: key, ReturnConsumedCapacity: wanted }: DatabaseRequest): DatabaseAnswer {
  return {
    document: {
      ...(isKeyOf(storedApplication, key) && { Item: application }),
      ...(wanted === 'TOTAL' && {
        ConsumedCapacity: { TableName: 'recruitment', CapacityUnits: 0.5 },
      }),
    },
  };
}

/** Every update applies to the job as it is at first: the condition of the status is met. */
function updateItem(request: DatabaseRequest): DatabaseAnswer {
  const { Key: key, ReturnValues: wanted, ExpressionAttributeValues: values = {} } = request;
  if (!isKeyOf(storedJob, key)) {
    return refusal('ConditionalCheckFailedException', 'The conditional request failed');
  }
  const written = {
    status: values[':status'],
    previous_status: { S: storedJob.status },
    version: { N: String(storedJob.version + 1) },
    status_changed_at: values[':now'],
    status_changed_by: values[':actor'],
    last_change_actor: values[':pseudonym'] ?? values[':actor'],
    last_change_id: values[':change'],
  };
  return { document: wanted === 'UPDATED_NEW' ? { Attributes: written } : {} };
}

const refusal = (type: string, message: string): DatabaseAnswer => ({
  status: 400,
  document: { __type: `${NAMESPACE}#${type}`, message },
});

function answerTo(target: unknown, body: string): DatabaseAnswer {
  if (target === 'DynamoDB_20120810.GetItem') return getItem(JSON.parse(body));
  if (target === 'DynamoDB_20120810.UpdateItem') return updateItem(JSON.parse(body));
  return refusal('UnknownOperationException', '');
}

/** Answers GetItem and UpdateItem as DynamoDB does, its checksum and its refusals included. */
export async function answerDatabase(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await text(request);
  const { status = 200, document } = isSigned(request, body)
    ? answerTo(request.headers['x-amz-target'], body)
    : refusal('InvalidSignatureException', 'The signature does not match.');
  const answer = JSON.stringify(document);
  response.writeHead(status, {
    Server: 'Server',
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(answer),
    'x-amzn-RequestId': 'EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE00',
    'x-amz-crc32': crc32(answer),
  });
  response.end(answer);
}
