import { randomUUID } from 'node:crypto';
import { cpSync, createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  DeleteTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { nameOf } from '../commands/cli/failure.ts';
import { fileCheck, LOCAL_BUCKET } from '../commands/cli/files-bucket.ts';
import { quoted } from '../commands/cli/output.ts';
import {
  readState,
  reserve,
  restrictToOwner,
  type State,
  writeState,
} from '../commands/cli/state.ts';
import type { Table } from '../commands/cli/table.ts';
import { BatchWriter } from '../commands/import/batch-writer.ts';
import { importRecords } from '../commands/import/import-records.ts';
import { createApiReference } from './api-reference.ts';
import { changeEvent } from './change-event.ts';
import { type Database, isReady, startGuardedDatabase } from './database.ts';
import { createGateway, type Gateway, type Pages } from './gateway.ts';
import { AUDIENCE, startIssuer, TENANT_CLAIM } from './issuer.ts';
import { FILES_PATH, serveFiles } from './local-bucket.ts';
import { listenOn } from './local-server.ts';
import { type Route, routesOf } from './routes.ts';
import { createTable } from './table.ts';
import { type BuildVariables, buildFunctions, synthesize, type Template } from './template.ts';
import { requestToken } from './token.ts';

const TABLE = 'recruitment-local';
/** The time limit of a function that a debugger may pause, in seconds: a day. */
const DEBUGGED_TIMEOUT_S = 86_400;
const SAMPLE = new URL('sample-data.ndjson', import.meta.url);
/** What the sample data has in the bucket. */
const SAMPLE_FILES = new URL('sample-files', import.meta.url);

export interface ServiceOptions {
  /** The folder of the data. */
  directory: string;
  /** The port of the gateway; 0 for a free one. */
  port: number;
  /** Whether to delete the data and load the sample data again. */
  reset: boolean;
  /** Further keys of the CDK context; none of `OWN_CONTEXT`. */
  context: Readonly<Record<string, string>>;
  /** Whether a debugger may pause the functions: they have a day for an invocation, and are not minified. */
  isDebugged: boolean;
  /** What AWS tools read: region, credentials, the address of another DynamoDB. */
  env: NodeJS.ProcessEnv;
  /** How long another DynamoDB may take to respond, in milliseconds: it may be starting. */
  databaseWithinMs?: number;
  /**
   * Gets a line for each step that takes long, for each event, and those that a function's log would have
   * for a crash or a timeout.
   */
  report: (line: string) => void;
  /** Gets each line of the functions' own logs. */
  log: (line: string) => void;
}

/** The keys of the CDK context that the service sets itself. */
export const OWN_CONTEXT = [
  'stage',
  'issuer',
  'audience',
  'tenantClaim',
  'databaseEndpoint',
  'filesBucket',
];

/** The service, running on this machine. */
export interface LocalService {
  state: State;
  /** Builds the functions, and the stack if it has changed, and serves them as they are now. */
  rebuild(isStackChanged: boolean): Promise<void>;
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
  started.defer(reserve(directory));
  const reference = createApiReference(() => requestToken(readState(directory).tokenEndpoint));
  const folder = join(directory, 'files');
  if (reset) rmSync(folder, { recursive: true, force: true });
  const files = serveFiles(folder, awsOf(options));
  const pages: Pages = async (request) => (await files(request)) ?? reference(request);
  const gateway = started.adopt(createGateway(report, pages), (part) => part.stop());
  const listening = await listenOn(gateway.server, port);
  const database = started.adopt(await openDatabase(options), (part) => part.stop());
  let allowedOrigins: readonly string[] = [];
  const issuer = started.adopt(await startIssuer(issuerPort(port), () => allowedOrigins), (part) =>
    part.stop(),
  );
  const client = started.adopt(clientOf(database, options), (part) => part.destroy());
  const context = {
    ...options.context,
    issuer: issuer.url,
    audience: AUDIENCE,
    tenantClaim: TENANT_CLAIM,
    databaseEndpoint: database.endpoint,
    filesBucket: LOCAL_BUCKET,
  };
  const build: BuildVariables = { BUNDLE_MINIFY: options.isDebugged ? 'false' : 'true' };
  const synthesized = async () => {
    const template = await synthesize(context, join(directory, 'cdk.out'), build);
    allowedOrigins = corsOf(template)?.AllowOrigins ?? [];
    return template;
  };
  report('Building the functions and synthesizing the stack …');
  let template = await synthesized();
  report('Preparing the table …');
  if (reset) await dropTable(client);
  await createTable(client, template, TABLE);
  await loadSample({ client: DynamoDBDocumentClient.from(client), name: TABLE }, folder);
  const state = {
    pid: process.pid,
    baseUrl: `http://127.0.0.1:${listening}`,
    issuer: issuer.url,
    tokenEndpoint: issuer.tokenEndpoint,
    databaseEndpoint: database.endpoint,
    region: awsOf(options).region,
    tableName: TABLE,
  };
  restrictToOwner(directory);
  // Requests wait until the routes are served: whoever gets a response can also get a token.
  writeState(directory, state);
  await serve(gateway, template, client, state, options);
  const parts = started.move();
  return {
    state,
    async rebuild(isStackChanged) {
      if (isStackChanged) template = await synthesized();
      else await buildFunctions(build);
      await serve(gateway, template, client, state, options);
    },
    stop: () => parts.disposeAsync(),
  };
}

/** The port after the gateway's, so that the issuer of tokens is the same after a restart. */
const issuerPort = (port: number) => (port === 0 || port === 65_535 ? 0 : port + 1);

async function openDatabase(options: ServiceOptions): Promise<Database> {
  const { directory, reset, env, databaseWithinMs = 10_000, report } = options;
  const endpoint = env.AWS_ENDPOINT_URL_DYNAMODB;
  if (endpoint) {
    if (await isReady(endpoint, AbortSignal.timeout(databaseWithinMs))) {
      // It does not belong to this service, and does not end with it.
      return { endpoint, stop: async () => undefined };
    }
    throw new Error(`Nothing responds at AWS_ENDPOINT_URL_DYNAMODB, ${endpoint}.`);
  }
  const file = join(directory, 'dynamodb.sqlite');
  if (reset) for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  return startGuardedDatabase(report, file);
}

/** Signs the URLs of files, unless the environment has a secret: a page must not be able to make such a URL. */
const SECRET = randomUUID();

/** The embedded DynamoDB accepts any credentials; DynamoDB Local has data of its own for each access key. */
const awsOf = ({ env }: ServiceOptions) => ({
  region: env.AWS_REGION || 'us-east-1',
  credentials: {
    accessKeyId: env.AWS_ACCESS_KEY_ID ?? 'local',
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? SECRET,
  },
});

const clientOf = ({ endpoint }: Database, options: ServiceOptions) =>
  new DynamoDBClient({ endpoint, ...awsOf(options) });

async function dropTable(client: DynamoDBClient): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: TABLE })).catch((error) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
}

/** Loads the sample data, and its files into the folder, if the table is empty. */
async function loadSample(table: Table, folder: string): Promise<void> {
  const { Count: count } = await table.client.send(
    new ScanCommand({ TableName: table.name, Limit: 1 }),
  );
  if (count !== 0) return;
  cpSync(SAMPLE_FILES, folder, { recursive: true, force: false });
  await importRecords({
    input: createReadStream(SAMPLE),
    writer: new BatchWriter(table),
    checkFile: fileCheck({}),
    onRefused: (line, reason) => {
      throw new Error(`Line ${line} of the sample data is invalid: ${reason}`);
    },
  });
}

async function serve(
  gateway: Gateway,
  template: Template,
  client: DynamoDBClient,
  { baseUrl }: State,
  options: ServiceOptions,
): Promise<void> {
  const { isDebugged, report, log } = options;
  const { region, credentials } = awsOf(options);
  const localValues = { TABLE_NAME: TABLE, FILES_URL: `${baseUrl}${FILES_PATH}` };
  const routes = routesOf(template, localValues, {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    // The functions then log the messages of all errors.
    AWS_EXECUTION_ENV: 'local',
    TZ: ':UTC',
  });
  const printEvent = (line: string) =>
    changeEvent(client, TABLE, line).then(
      (event) => event && report(quoted(event)),
      (error) => report(`The event of a change cannot be printed (${nameOf(error)}).`),
    );
  await gateway.serve({
    routes: isDebugged ? routes.map(withoutTimeLimit) : routes,
    cors: corsOf(template),
    log: (line) => {
      log(line);
      void printEvent(line);
    },
  });
}

function corsOf(template: Template) {
  const [api] = template.resources('AWS::ApiGatewayV2::Api').values();
  return api?.CorsConfiguration;
}

const withoutTimeLimit = (route: Route): Route => ({
  ...route,
  function: {
    ...route.function,
    timeoutSeconds: DEBUGGED_TIMEOUT_S,
    variables: { ...route.function.variables, TIMEOUT_S: String(DEBUGGED_TIMEOUT_S) },
  },
});
