import {
  type DynamoDBDocumentClient,
  paginateScan,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';

/** Without a limit, a page holds 1 MB, and the embedded DynamoDB takes seconds to return it. */
const PAGE_ITEMS = 500;

export interface Table<Client = DynamoDBDocumentClient> {
  client: Client;
  name: string;
}

/** @throws the signal's reason, once the request under way has ended. */
export async function* scan(
  { client, name }: Table,
  input: Omit<ScanCommandInput, 'TableName'>,
  signal?: AbortSignal,
): AsyncGenerator<ScanCommandOutput> {
  const whole = { TableName: name, ConsistentRead: true, Limit: PAGE_ITEMS };
  for await (const page of paginateScan({ client }, { ...whole, ...input })) {
    signal?.throwIfAborted();
    yield page;
  }
}
