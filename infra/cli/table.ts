import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Output, WrongUsage } from './command.ts';
import { RequestHandler } from './request-handler.ts';
import { dataFolder, readState } from './state.ts';

/** The options that select the table a command works on, for `parseArgs`. */
export const tableOptions = {
  table: { type: 'string' },
  region: { type: 'string' },
  data: { type: 'string' },
} as const;

/** What those options do, for the usage of a command. */
export const TABLE_USAGE = `  --table NAME     a table in AWS, with the credentials that the AWS SDK finds
  --region REGION  the region of that table; by default the one that the AWS SDK finds
  --data DIR       the folder with the local service's data; by default .local
`;

/** The values of those options. */
export interface TableOptions {
  table?: string | undefined;
  region?: string | undefined;
  data?: string | undefined;
}

/** The table that a command works on. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/**
 * Checks the options, before anything is opened.
 * @throws WrongUsage
 */
export function checkTableOptions({ table, region, data }: TableOptions): void {
  if (table === undefined && region !== undefined) {
    throw new WrongUsage('--region can only be used with --table.');
  }
  if (table !== undefined && data !== undefined) {
    throw new WrongUsage(
      '--data and --table exclude each other: --data selects the local service, --table a table in AWS.',
    );
  }
}

/** The attempts of commands that must not give up early: a throttled table is tried for up to a minute or so. */
export const MAX_ATTEMPTS = 10;

type Retries = Pick<DynamoDBClientConfig, 'maxAttempts' | 'retryMode'>;

/** A table that is open until it is disposed of. */
export interface OpenTable extends Table, Disposable {
  /**
   * Checks that there is a region and that there are credentials, before the first request.
   * @throws the errors of the SDK, for `explainFailure`.
   */
  checkAccess(): Promise<void>;
  /** Gives up the requests under way if DynamoDB responds to none for a few seconds after the signal. */
  stopOn(signal: AbortSignal): void;
}

/**
 * Opens the table in AWS that the options name, or else that of the local service. If it does not respond
 * for a while, the operator is told on `stderr`.
 * @param retries the SDK's `maxAttempts`, with its own backoff and jitter, and its `retryMode`, of which
 *   `adaptive` sends no faster than the table takes requests; by default those of the SDK
 * @throws Error if the options select the local service and it is not running.
 */
export function openTable(
  options: TableOptions,
  { stderr }: { stderr: Output },
  retries: Retries = {},
): OpenTable {
  const { name, config } = options.table === undefined ? local(options) : inAws(options);
  const requestHandler = new RequestHandler();
  const client = new DynamoDBClient({ ...config, ...retries, requestHandler });
  const { stop } = requestHandler.reportSilence(stderr);
  return {
    name,
    client: DynamoDBDocumentClient.from(client, {
      // Numbers beyond 2^53 would become BigInt, which JSON cannot hold.
      unmarshallOptions: { wrapNumbers: Number },
    }),
    async checkAccess() {
      await client.config.region();
      await client.config.credentials();
    },
    stopOn: (signal) => requestHandler.stopOn(signal),
    [Symbol.dispose]() {
      stop();
      client.destroy();
    },
  };
}

interface Connection {
  name: string;
  config: DynamoDBClientConfig;
}

function local({ data }: TableOptions): Connection {
  const { region, databaseEndpoint, tableName } = readState(dataFolder(data));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const hasCredentials = process.env.AWS_ACCESS_KEY_ID !== undefined;
  const config = { region, endpoint: databaseEndpoint, ...(!hasCredentials && { credentials }) };
  return { name: tableName, config };
}

function inAws({ table: name = '', region }: TableOptions): Connection {
  return { name, config: { ...(region !== undefined && { region }) } };
}
