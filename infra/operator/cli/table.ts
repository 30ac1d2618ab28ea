import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  paginateScan,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { type RetryLimits, retries, retryLimits } from './retries.ts';
import type { CommandIo } from './run-command.ts';
import { dataFolder, LOCAL_ACCESS_KEY_ID, readState } from './service-state.ts';
import type { TableOptions } from './table-options.ts';

/** The time limits of a request, in milliseconds. A full batch can take long on a slow connection. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 30_000, throwOnRequestTimeout: true };
/**
 * The number of items on a page of a scan. The embedded DynamoDB takes seconds for a page of 1 MB, DynamoDB's limit.
 */
const PAGE_ITEMS = 500;

/** The table that a command works on. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/**
 * Runs `work` with the table in AWS that the options name, or else with the table of the local service. When the
 * operator asks the command to end, the signal that `work` receives is aborted. The work then stops when its requests
 * under way have a response, or after a few seconds.
 * @throws Error if the options select a local service that is not running. Otherwise throws the reason of the aborted
 *   signal, or the error of `work`.
 */
export async function withTable<T>(
  options: TableOptions,
  { stderr, abortOnSignal }: Pick<CommandIo, 'stderr' | 'abortOnSignal'>,
  work: (table: Table, signal: AbortSignal) => Promise<T>,
  limits: RetryLimits = retryLimits,
): Promise<T> {
  const { name, ...config } = connectionOf(options);
  const signal = abortOnSignal();
  const retryStrategy = retries(stderr, signal, limits);
  const client = new DynamoDBClient({ ...config, requestHandler: TIMEOUTS, retryStrategy });
  // This closes all connections, including the connections of requests under way.
  const giveUp = () => client.destroy();
  signal.addEventListener('abort', () => setTimeout(giveUp, limits.graceMs).unref());
  // By default, numbers above 2^53 become BigInt, which JSON cannot represent.
  const unmarshallOptions = { wrapNumbers: Number };
  const table = { name, client: DynamoDBDocumentClient.from(client, { unmarshallOptions }) };
  try {
    return await work(table, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    client.destroy();
  }
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

/** Returns the name of the table, and the settings of the client. */
function connectionOf({
  table: name,
  region: named,
  data,
}: TableOptions): DynamoDBClientConfig & { name: string } {
  if (name !== undefined) return { name, ...(named !== undefined && { region: named }) };
  const { region, databaseEndpoint: endpoint, tableName } = readState(dataFolder(data));
  const credentials = { accessKeyId: LOCAL_ACCESS_KEY_ID, secretAccessKey: 'local' };
  return { name: tableName, region, endpoint, credentials };
}
