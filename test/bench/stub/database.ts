import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { applicationKey } from '../../../functions/store/keys.ts';
import { isSigned } from '../../support/signature.ts';
import { applicationItems, JOB, storedJob } from './items.ts';

/** What in a request to DynamoDB decides the answer. */
interface DatabaseRequest {
  Key: { pk: { S: string }; sk: { S: string } };
  ReturnConsumedCapacity?: string;
  ExpressionAttributeValues?: Record<string, unknown>;
}

interface Answer {
  status?: number;
  document: Record<string, unknown>;
}

const pathOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`;

/** The stored applications in DynamoDB's JSON, by their keys. */
const applications = new Map(
  [...applicationItems].map(([candidate, item]) => [
    pathOf(applicationKey('default', JOB, candidate)),
    marshall(item),
  ]),
);

function getItem(path: string, { ReturnConsumedCapacity: wanted }: DatabaseRequest): Answer {
  const capacity = { ConsumedCapacity: { TableName: 'recruitment', CapacityUnits: 0.5 } };
  const item = applications.get(path);
  return { document: { ...(item && { Item: item }), ...(wanted === 'TOTAL' && capacity) } };
}

/** Every update applies to the job in its first state, so that the status always changes. */
function updateItem(path: string, request: DatabaseRequest): Answer {
  const { ExpressionAttributeValues: values = {} } = request;
  if (path !== pathOf(storedJob)) {
    return refusal('ConditionalCheckFailedException', 'The conditional request failed');
  }
  const written = {
    status: values[':status'],
    previous_status: { S: storedJob.status },
    version: { N: String(storedJob.version + 1) },
    fence: values[':fence'],
    status_changed_at: values[':now'],
    status_changed_by: values[':actor'],
    last_change_actor: values[':pseudonym'] ?? values[':actor'],
    last_change_id: values[':change'],
  };
  return { document: { Attributes: written } };
}

const refusal = (type: string, message: string): Answer => ({
  status: 400,
  document: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message },
});

const operations: Readonly<Record<string, typeof getItem>> = {
  'DynamoDB_20120810.GetItem': getItem,
  'DynamoDB_20120810.UpdateItem': updateItem,
};

function answerTo(request: IncomingMessage, body: string): Answer {
  if (!isSigned(request, body)) {
    return refusal('InvalidSignatureException', 'The signature does not match.');
  }
  const operation = operations[String(request.headers['x-amz-target'])];
  if (operation === undefined) return refusal('UnknownOperationException', '');
  const input: DatabaseRequest = JSON.parse(body);
  return operation(pathOf({ pk: input.Key.pk.S, sk: input.Key.sk.S }), input);
}

/** Answers GetItem and UpdateItem as DynamoDB does, with its checksum and its errors. */
export async function answerDatabase(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status = 200, document } = answerTo(request, await text(request));
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
