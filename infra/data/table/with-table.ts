import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type CommandIo, UsageError } from '../../command/run-command.ts';
import { dataFolder, LOCAL_ACCESS_KEY_ID, readServiceState } from '../../command/service-state.ts';
import type { Table } from '../records/table.ts';
import { type RetryLimits, retryLimits, retryStrategyOf } from './retry-strategy.ts';
import type { TableOptions } from './table-options.ts';

/** A full page of a scan can take a long time on a slow connection. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 30_000, throwOnRequestTimeout: true };

/**
 * After Ctrl-C, requests under way get `graceMs` to end.
 * @throws UsageError if the SDK finds no region; Error if no local service is running; the signal's reason after
 *   Ctrl-C; otherwise what `work` throws.
 */
export async function withTable<T>(
  options: TableOptions,
  { stderr, abortOnSignal }: Pick<CommandIo, 'stderr' | 'abortOnSignal'>,
  work: (table: Table, signal: AbortSignal) => Promise<T>,
  limits: RetryLimits = retryLimits,
): Promise<T> {
  const { name, ...config } = connectionOf(options);
  const signal = abortOnSignal();
  const retryStrategy = retryStrategyOf(stderr, signal, limits);
  const client = new DynamoDBClient({ ...config, requestHandler: TIMEOUTS, retryStrategy });
  // Ends requests under way by closing their connections.
  const giveUp = () => client.destroy();
  signal.addEventListener('abort', () => setTimeout(giveUp, limits.graceMs).unref());
  // Numbers above 2^53 would become BigInt, which JSON cannot represent.
  const unmarshallOptions = { wrapNumbers: Number };
  const table = { name, client: DynamoDBDocumentClient.from(client, { unmarshallOptions }) };
  try {
    await client.config.region().catch((cause) => {
      throw new UsageError('No region is set. Name the region of the table with --region.', {
        cause,
      });
    });
    return await work(table, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    client.destroy();
  }
}

function connectionOf({
  table: name,
  region: named,
  data,
}: TableOptions): DynamoDBClientConfig & { name: string } {
  if (name !== undefined) return { name, ...(named !== undefined && { region: named }) };
  const { region, databaseEndpoint: endpoint, tableName } = readServiceState(dataFolder(data));
  const credentials = { accessKeyId: LOCAL_ACCESS_KEY_ID, secretAccessKey: 'local' };
  return { name: tableName, region, endpoint, credentials };
}
