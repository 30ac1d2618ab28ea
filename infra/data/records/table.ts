import {
  type AttributeValue,
  GetItemCommand,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Item, unmarshal } from '../../../functions/store/items.ts';
import type { Key } from '../../../functions/store/keys.ts';

/** Keeps pages small: the embedded DynamoDB takes seconds to return a full one of 1 MB. */
const PAGE_ITEMS = 500;

export interface Table<Client = DynamoDBDocumentClient> {
  client: Client;
  name: string;
}

interface ScanInput extends Omit<ScanCommandInput, 'TableName' | 'ExpressionAttributeValues'> {
  ExpressionAttributeValues?: Readonly<Record<string, string>>;
}

/**
 * Yields pages of items, with all members and digits as stored.
 * @throws the signal's reason, once the request under way has ended.
 */
export async function* scan(
  { client, name }: Table,
  { ExpressionAttributeValues: values, ...input }: ScanInput,
  signal?: AbortSignal,
): AsyncGenerator<{ Items: Item[] }> {
  const whole = { TableName: name, ConsistentRead: true, Limit: PAGE_ITEMS, ...input };
  let start: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        ...whole,
        ExclusiveStartKey: start,
        ...(values && { ExpressionAttributeValues: marshall(values) }),
      }),
    );
    signal?.throwIfAborted();
    yield { Items: (page.Items ?? []).map(itemOf) };
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

/** Undefined if the item is gone, even if an index still lists it. */
export async function readItem(
  { client, name }: Table,
  { pk, sk }: Key,
): Promise<Item | undefined> {
  const request = { TableName: name, Key: marshall({ pk, sk }), ConsistentRead: true };
  const { Item: attributes } = await client.send(new GetItemCommand(request));
  return attributes && itemOf(attributes);
}

function itemOf(attributes: Record<string, AttributeValue>): Item {
  const { pk, sk, ...members } = unmarshal(attributes);
  return { ...members, pk: String(pk), sk: String(sk) };
}
