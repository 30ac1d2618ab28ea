import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';

/** As DynamoDB Streams returns it and a pipe receives it. */
export interface RawRecord {
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  dynamodb: { Keys: Image; OldImage?: Image; NewImage?: Image };
  userIdentity?: { type: string; principalId: string };
}

interface Output {
  Streams: { StreamArn: string }[];
  StreamDescription: { Shards: { ShardId: string }[] };
  ShardIterator: string;
  NextShardIterator?: string;
  Records: RawRecord[];
}
type Image = Record<string, AttributeValue>;

export async function readRecords(table: string): Promise<RawRecord[]> {
  const { Streams: streams } = await ask('ListStreams', { TableName: table });
  const records: RawRecord[] = [];
  for (const { StreamArn } of streams) {
    const { StreamDescription: stream } = await ask('DescribeStream', { StreamArn });
    for (const { ShardId } of stream.Shards) {
      records.push(...(await readShard(StreamArn, ShardId)));
    }
  }
  return records;
}

async function readShard(StreamArn: string, ShardId: string): Promise<RawRecord[]> {
  const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
  let iterator: string | undefined = (await ask('GetShardIterator', start)).ShardIterator;
  const records: RawRecord[] = [];
  while (iterator !== undefined) {
    const page: Output = await ask('GetRecords', { ShardIterator: iterator, Limit: 1000 });
    // Stop at an empty page: an open shard always has a next iterator.
    if (page.Records.length === 0) break;
    records.push(...page.Records);
    iterator = page.NextShardIterator;
  }
  return records;
}

/** Hand-written, because the DynamoDB Streams client is not released in the other SDK clients' version. */
async function ask(operation: string, input: object): Promise<Output> {
  const response = await fetch(inject('databaseEndpoint'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Output;
}
