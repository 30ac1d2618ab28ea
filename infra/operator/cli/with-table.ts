import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../records/table.ts';
import { type RetryLimits, retries, retryLimits } from './retries.ts';
import type { CommandIo } from './run-command.ts';
import { dataFolder, LOCAL_ACCESS_KEY_ID, readState } from './service-state.ts';
import type { TableOptions } from './table-options.ts';

/** The time limits of a request, in milliseconds. A full batch can take long on a slow connection. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 30_000, throwOnRequestTimeout: true };
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
