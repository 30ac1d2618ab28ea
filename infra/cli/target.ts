import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { WrongUsage } from './command.ts';
import { readState, root } from './state.ts';

/** The options by which a command is told the table, for `parseArgs`. */
export const targetOptions = {
  table: { type: 'string' },
  region: { type: 'string' },
  data: { type: 'string' },
} as const;

/** What those options do, for the usage of a command. */
export const TARGET_USAGE = `  --table NAME     a table in AWS, with the credentials that the AWS SDK finds
  --region REGION  the region of that table; by default the one that the AWS SDK finds
  --data DIR       the folder of the local service's data; by default .local
`;

/** What the operator has named. */
export interface TargetOptions {
  table?: string;
  region?: string;
  data?: string;
}

/** The table that a command works on. */
export interface Target {
  client: DynamoDBClient;
  tableName: string;
}

/**
 * Checks what has been named, before anything is opened.
 * @throws WrongUsage
 */
export function checkTarget({ table, region, data }: TargetOptions): void {
  if ([table, region, data].includes('')) throw new WrongUsage('An option has an empty value.');
  if (table === undefined && region !== undefined) {
    throw new WrongUsage('--region goes with --table.');
  }
  if (table !== undefined && data !== undefined) {
    throw new WrongUsage('--data is of the local service, --table of AWS: name one of them.');
  }
}

/**
 * The table that has been named in AWS, or else that of the local service. Each request is tried
 * `maxAttempts` times, with the SDK's own backoff and jitter; by default as often as the SDK does.
 * @throws Error where the local service is meant and does not run.
 */
export function openTarget(options: TargetOptions, maxAttempts?: number): Target {
  const retries = maxAttempts === undefined ? {} : { maxAttempts };
  return options.table === undefined
    ? local(options, retries)
    : inAws(options.table, options.region, retries);
}

interface Retries {
  maxAttempts?: number;
}

function local({ data = '.local' }: TargetOptions, retries: Retries): Target {
  const state = readState(resolve(fileURLToPath(root), data));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({
    region: state.region,
    endpoint: state.databaseEndpoint,
    ...retries,
    ...(process.env.AWS_ACCESS_KEY_ID === undefined && { credentials }),
  });
  return { client, tableName: state.tableName };
}

function inAws(tableName: string, region: string | undefined, retries: Retries): Target {
  const client = new DynamoDBClient({
    ...(region !== undefined && { region }),
    ...retries,
    // By default the SDK waits for an answer for ever. A full batch takes a while on a slow line.
    requestHandler: {
      connectionTimeout: 5000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
    },
  });
  return { client, tableName };
}
