import {
  type DynamoDBDocumentClient,
  paginateScan,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';

/** A page of 1 MB, DynamoDB's limit, takes the embedded DynamoDB seconds. */
const PAGE_ITEMS = 500;

export interface Table<Client = DynamoDBDocumentClient> {
  client: Client;
  name: string;
}

/**
 * Reads the whole table with consistent reads, one page at a time.
 * @throws the reason of the signal, if it is aborted. A request under way ends first.
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
