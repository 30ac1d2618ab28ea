import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { OperationName } from '../../../functions/contract/operations.ts';
import { startDatabase } from '../../../infra/local/database.ts';
import { createTable } from '../../../infra/local/table.ts';
import { synthesize } from '../../../infra/local/template.ts';
import { credentials } from '../../support/signature.ts';
import { bundleOf } from '../contenders.ts';
import { eventFor, variablesOf } from '../lambda.ts';
import { startCapacityProxy } from '../stub/capacity-proxy.ts';
import { storedApplication, storedJob } from '../stub/items.ts';
import type { Stub } from '../stub/start.ts';
import { startProcess } from './contender-process.ts';

const TABLE = 'bench';

/**
 * A condition that is not met costs as much as writing the item as it is: a unit for each KB
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html).
 * The answer, an error, does not say so, so this is documented, and not measured.
 */
const REFUSED_UNITS = Math.ceil(Buffer.byteLength(JSON.stringify(storedJob)) / 1024);

/** What one request of a client costs at DynamoDB. */
export interface DatabaseCost {
  requests: number;
  units: number;
}

export interface DatabaseCosts {
  read: DatabaseCost;
  change: DatabaseCost;
  noChange: DatabaseCost;
}

/** Calls the functions on the embedded database, which counts capacity as DynamoDB does. */
export async function measureDatabase(stub: Stub): Promise<DatabaseCosts> {
  const database = await startDatabase();
  const proxy = await startCapacityProxy(database.endpoint);
  try {
    await fillTable(database.endpoint);
    const costOf = (operation: OperationName, refusedUnits?: number) =>
      oneCall(
        operation,
        refusedUnits,
        { ...variablesOf(operation, stub), ...placeOf(proxy.url) },
        stub,
      );
    return {
      read: await costOf('get-application'),
      change: await costOf('update-job-status'),
      noChange: await costOf('update-job-status', REFUSED_UNITS),
    };
  } finally {
    await proxy.stop();
    await database.stop();
  }

  async function oneCall(
    operation: OperationName,
    refusedUnits: number | undefined,
    variables: Record<string, string>,
    stub: Stub,
  ) {
    const subject = await startProcess(bundleOf('ours', operation), variables);
    // What starting costs is no part of it.
    proxy.take();
    await subject.succeed({ events: [eventFor(operation, stub.tokens.valid)], times: 1 });
    const consumed = proxy.take();
    await subject.stop();
    const units = consumed.map((counted = refusedUnits) => {
      if (counted === undefined) throw new Error(`An answer to ${operation} tells no capacity.`);
      return counted;
    });
    return { requests: consumed.length, units: units.reduce((sum, counted) => sum + counted, 0) };
  }
}

const placeOf = (endpoint: string) => ({ AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME: TABLE });

async function fillTable(endpoint: string): Promise<void> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: {
      accessKeyId: credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-bench-'));
  await createTable(client, await synthesize({}, folder), TABLE);
  rmSync(folder, { recursive: true });
  const documents = DynamoDBDocumentClient.from(client);
  for (const item of [storedApplication, storedJob]) {
    await documents.send(new PutCommand({ TableName: TABLE, Item: item }));
  }
  client.destroy();
}
