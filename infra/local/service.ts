import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { nameOf } from '../cli/failure.ts';
import { makeFolder, removeState, reserve, type State, writeState } from '../cli/state.ts';
import type { Table } from '../cli/table.ts';
import { BatchWriter } from '../operations/import/batch-writer.ts';
import { importRecords } from '../operations/import/import-records.ts';
import { type Database, startDatabase } from './database.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { AUDIENCE, type Issuer, startIssuer, TENANT_CLAIM } from './issuer.ts';
import { routesOf } from './routes.ts';
import { createTable } from './table.ts';
import { synthesize, type Template } from './template.ts';

const TABLE = 'recruitment-local';
const REGION = process.env.AWS_REGION || 'us-east-1';
const SAMPLE = new URL('sample-data.ndjson', import.meta.url);

/** The embedded DynamoDB accepts any credentials; DynamoDB Local has data of its own for each. */
const credentials = {
  AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
  AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
};

export interface ServiceOptions {
  /** The folder of the data. */
  directory: string;
  /** The port of the gateway; 0 for a free one. */
  port: number;
  /** Whether to delete the data and load the sample data again. */
  reset: boolean;
  /** Further keys of the CDK context; none of `OWN_CONTEXT`. */
  context: Readonly<Record<string, string>>;
  /**
   * Gets a line for each step that takes long, and those that a function's log would have for a crash or
   * a time-out.
   */
  report: (line: string) => void;
}

/** The keys of the CDK context that the service sets itself. */
export const OWN_CONTEXT: readonly string[] = [
  'stage',
  'issuer',
  'audience',
  'tenantClaim',
  'databaseEndpoint',
];

/** The service, running on this machine. */
export interface LocalService {
  state: State;
  /** Settles when the database has ended, by request or not. */
  databaseEnded: Promise<void>;
  /** Builds and serves the code as it is now. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the service: the routes, functions and table of the synthesized stack, an embedded
 * DynamoDB (or the one that `AWS_ENDPOINT_URL_DYNAMODB` names) and a token issuer.
 * @throws Error if a part cannot start; those that started are stopped.
 */
export async function startService(options: ServiceOptions): Promise<LocalService> {
  const { directory, port, reset, report } = options;
  await using started = new AsyncDisposableStack();
  makeFolder(directory);
  started.defer(reserve(directory));
  const gateway = started.adopt(createGateway(report), (part) => part.stop());
  await listen(gateway, port);
  const database = started.adopt(await openDatabase(directory, reset), (part) => part.stop());
  const issuer = started.adopt(await startIssuer(issuerPort(port)), (part) => part.stop());
  const context = { ...options.context, ...contextOf(issuer, database) };
  const synthesized = () => synthesize(context, join(directory, 'cdk.out'));
  report('Building the functions and synthesizing the stack …');
  const template = await synthesized();
  report('Preparing the table …');
  await prepareTable(database, template, reset);
  const state = stateOf(gateway, issuer, database);
  started.defer(() => removeState(directory));
  // Requests wait until the routes are served: whoever gets an answer can also get a token.
  writeState(directory, state);
  await serve(gateway, template);
  const parts = started.move();
  return {
    state,
    databaseEnded: database.ended,
    rebuild: async () => serve(gateway, await synthesized()),
    stop: () => parts.disposeAsync(),
  };
}

/** The port after the gateway's, so that the issuer of tokens is the same after a restart. */
const issuerPort = (port: number) => (port === 0 || port === 65_535 ? 0 : port + 1);

async function listen({ server }: Gateway, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is in use: choose another one, as in PORT=3010 npm start.`);
  });
}

async function openDatabase(directory: string, reset: boolean): Promise<Database> {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (endpoint) return namedDatabase(endpoint);
  const file = join(directory, 'dynamodb.sqlite');
  if (reset) for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  return startDatabase(file);
}

/** A database that does not belong to this service, and does not end with it. */
async function namedDatabase(endpoint: string): Promise<Database> {
  const name = `AWS_ENDPOINT_URL_DYNAMODB, ${endpoint}`;
  await fetch(endpoint).catch((cause) => {
    throw new Error(`Nothing answers at ${name}.`, { cause });
  });
  const client = clientOf(endpoint);
  const { TableNames: tables } = await client.send(new ListTablesCommand({})).catch((cause) => {
    throw new Error(
      `What answers at ${name} is not DynamoDB, or rejects the credentials (${nameOf(cause)}).`,
      { cause },
    );
  });
  client.destroy();
  if (tables === undefined) throw new Error(`What answers at ${name} is not DynamoDB.`);
  return { endpoint, ended: new Promise(() => undefined), stop: async () => undefined };
}

const clientOf = (endpoint: string) =>
  new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: {
      accessKeyId: credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
    },
  });

const contextOf = (issuer: Issuer, database: Database) => ({
  issuer: issuer.url,
  audience: AUDIENCE,
  tenantClaim: TENANT_CLAIM,
  databaseEndpoint: database.endpoint,
});

async function prepareTable(database: Database, template: Template, reset: boolean): Promise<void> {
  const client = clientOf(database.endpoint);
  if (reset) await dropTable(client);
  await createTable(client, template, TABLE);
  await loadSample({ client: DynamoDBDocumentClient.from(client), name: TABLE });
  client.destroy();
}

async function dropTable(client: DynamoDBClient): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: TABLE })).catch((error) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
}

/** Loads the sample data, if the table is empty. */
async function loadSample(table: Table): Promise<void> {
  const { Count: count } = await table.client.send(
    new ScanCommand({ TableName: table.name, Limit: 1 }),
  );
  if (count !== 0) return;
  await importRecords({
    input: createReadStream(SAMPLE),
    writer: new BatchWriter(table),
    onRefused: (line, reason) => {
      throw new Error(`Line ${line} of the sample data is invalid: ${reason}`);
    },
  });
}

async function serve(gateway: Gateway, template: Template): Promise<void> {
  const tables = [...template.resources('AWS::DynamoDB::Table').keys()];
  const references = Object.fromEntries(tables.map((id) => [id, TABLE]));
  const variables = {
    ...credentials,
    AWS_REGION: REGION,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    TZ: ':UTC',
  };
  const [api] = template.resources('AWS::ApiGatewayV2::Api').values();
  await gateway.serve({
    routes: routesOf(template, references, variables),
    cors: api?.CorsConfiguration,
  });
}

function stateOf(gateway: Gateway, issuer: Issuer, database: Database): State {
  const address = gateway.server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    pid: process.pid,
    baseUrl: `http://127.0.0.1:${port}`,
    issuer: issuer.url,
    tokenEndpoint: issuer.tokenEndpoint,
    databaseEndpoint: database.endpoint,
    region: REGION,
    tableName: TABLE,
  };
}
