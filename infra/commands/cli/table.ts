import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  paginateScan,
  type ScanCommandInput,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { type RetryLimits, retries, retryLimits } from './retries.ts';
import type { CommandIo } from './run-command.ts';
import { dataFolder, readState } from './state.ts';
import type { TableOptions } from './table-options.ts';

/** The time limits of a request, in milliseconds: a full batch takes a while on a slow line. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 30_000, throwOnRequestTimeout: true };
/** The items of a page of a scan: 1 MB, DynamoDB's limit, takes its embedded substitute seconds. */
const PAGE_ITEMS = 500;

/** The table that a command works on. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/**
 * Runs `work` with the table in AWS that the options name, or else with that of the local service. The signal
 * is aborted when the operator asks the command to end: the work then stops as soon as its requests under
 * way have a response, and they are given up after a few seconds.
 * @throws Error if the options select the local service and it is not running; what the work throws; or
 *   the reason of the signal.
 */
export async function onTable<T>(
  options: TableOptions,
  { env, stderr, interruption }: Pick<CommandIo, 'env' | 'stderr' | 'interruption'>,
  work: (table: Table, signal: AbortSignal) => Promise<T>,
  limits: RetryLimits = retryLimits,
): Promise<T> {
  const { name, ...config } = connectionOf(options, env);
  const signal = interruption();
  const retryStrategy = retries(stderr, signal, limits);
  const client = new DynamoDBClient({ ...config, requestHandler: TIMEOUTS, retryStrategy });
  // Closes the connections, also of requests under way.
  const giveUp = () => client.destroy();
  signal.addEventListener('abort', () => setTimeout(giveUp, limits.graceMs).unref());
  // Numbers beyond 2^53 would become BigInt, which JSON cannot hold.
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
 * Reads the whole table, consistently and a page at a time.
 * @throws the reason of the signal, after a page.
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

/** The name of the table, and how to reach it. */
function connectionOf(
  { table: name, region: named, data }: TableOptions,
  env: NodeJS.ProcessEnv,
): DynamoDBClientConfig & { name: string } {
  if (name !== undefined) return { name, ...(named !== undefined && { region: named }) };
  const { region, databaseEndpoint: endpoint, tableName } = readState(dataFolder(data));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const isKnown = env.AWS_ACCESS_KEY_ID !== undefined;
  return { name: tableName, region, endpoint, ...(!isKnown && { credentials }) };
}
