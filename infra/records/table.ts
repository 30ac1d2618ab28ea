import {
  type DynamoDBDocumentClient,
  paginateScan,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';

/** By default, a page has 1 MB, for which the embedded DynamoDB takes seconds. */
const PAGE_ITEMS = 500;

export interface Table<Client = DynamoDBDocumentClient> {
  client: Client;
  name: string;
}

/**
 * Consistent reads, one page at a time.
 * @throws the signal's reason. A request under way ends first.
 */
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
