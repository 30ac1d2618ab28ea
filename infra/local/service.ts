import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { nameOf } from '../commands/cli/failure.ts';
import { LOCAL_BUCKET } from '../commands/cli/files-bucket.ts';
import { quoted } from '../commands/cli/output.ts';
import {
  LOCAL_ACCESS_KEY_ID,
  readState,
  reserve,
  restrictToOwner,
  type State,
  writeState,
} from '../commands/cli/service-state.ts';
import { createApiReference } from './api-reference.ts';
import { changeEvent } from './change-event.ts';
import { type Database, isReady, startGuardedDatabase } from './database.ts';
import { createGateway, type Gateway, type Pages } from './gateway.ts';
import { AUDIENCE, startIssuer, TENANT_CLAIM } from './issuer.ts';
import { FILES_PATH, serveFiles } from './local-bucket.ts';
import { listenOn } from './local-server.ts';
import { type Route, routesOf } from './routes.ts';
import { createTable, dropTable, loadSample } from './table.ts';
import { type BuildVariables, synthesize, type Template } from './template.ts';
import { requestToken } from './token.ts';

const TABLE = 'recruitment-local';
/** The time limit of a function that a debugger may pause: a day, in seconds. */
const DEBUGGED_TIMEOUT_S = 86_400;

interface ServiceOptions {
  /** The folder of the data. */
  directory: string;
  /** The port of the gateway; 0 picks a free port. */
  port: number;
  /** Whether to delete the data and load the sample data again. */
  reset: boolean;
  /** Context keys, except the keys in `OWN_CONTEXT`. */
  context: Readonly<Record<string, string>>;
  /**
   * Whether a debugger may pause the functions. If so, an invocation may take a day, and the bundles are not minified.
   */
  isDebugged: boolean;
  /** Environment variables. AWS's variables can set the region and the endpoint of another DynamoDB. */
  env: NodeJS.ProcessEnv;
  /**
   * The time, in milliseconds, within which another DynamoDB must respond. That DynamoDB may have just been started.
   */
  databaseWithinMs?: number;
  /** Receives a line for each long step and each event, and the lines that Lambda logs for a crash or a timeout. */
  report: (line: string) => void;
  /** Receives each line of the functions' own logs. */
  log: (line: string) => void;
}

/** The context keys that the service sets itself. */
export const OWN_CONTEXT = [
  'stage',
  'issuer',
  'audience',
  'tenantClaim',
  'databaseEndpoint',
  'filesBucket',
];

/** The running service. */
interface LocalService {
  state: State;
  /** Builds the functions and synthesizes the stack again, and serves both. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the gateway with the routes and functions of the synthesized stack, a token issuer, and an embedded DynamoDB
 * with the stack's table. If `AWS_ENDPOINT_URL_DYNAMODB` is set, the table is in that DynamoDB. If a part cannot start,
 * stops the other parts.
 * @throws Error if a part cannot start.
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
  const template = await synthesized();
  report('Preparing the table …');
  if (reset) await dropTable(client, TABLE);
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
  // Write the state before the gateway responds, because the API reference reads the token endpoint from the state.
  writeState(directory, state);
  await serve(gateway, template, client, state, options);
  const parts = started.move();
  return {
    state,
    async rebuild() {
      await serve(gateway, await synthesized(), client, state, options);
    },
    stop: () => parts.disposeAsync(),
  };
}

/**
 * Returns the issuer's port: the gateway's port plus one. The port is part of the issuer's URL, so a fixed port keeps
 * the URL across restarts. Returns 0 (any free port) if the gateway's port is 0 or the last port.
 */
const issuerPort = (port: number) => (port === 0 || port === 65_535 ? 0 : port + 1);

async function openDatabase(options: ServiceOptions): Promise<Database> {
  const { directory, reset, env, databaseWithinMs = 10_000, report } = options;
  const endpoint = env.AWS_ENDPOINT_URL_DYNAMODB;
  if (endpoint) {
    if (await isReady(endpoint, AbortSignal.timeout(databaseWithinMs))) {
      // Do not stop a DynamoDB that this service did not start.
      return { endpoint, stop: async () => undefined };
    }
    throw new Error(`Nothing responds at AWS_ENDPOINT_URL_DYNAMODB, ${endpoint}.`);
  }
  const file = join(directory, 'dynamodb.sqlite');
  if (reset) for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  return startGuardedDatabase(report, file);
}

/** The secret access key that signs presigned URLs. The key is random, so that no web page can sign a URL. */
const SECRET_ACCESS_KEY = randomUUID();

/** Returns the region and credentials of the local service. DynamoDB Local accepts any secret access key. */
const awsOf = ({ env }: ServiceOptions) => ({
  region: env.AWS_REGION || 'us-east-1',
  credentials: { accessKeyId: LOCAL_ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY },
});

const clientOf = ({ endpoint }: Database, options: ServiceOptions) =>
  new DynamoDBClient({ endpoint, ...awsOf(options) });

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
    // With this value, the functions log the messages of all errors.
    AWS_EXECUTION_ENV: 'local',
    TZ: ':UTC',
  });
  const printEvent = (line: string) =>
    changeEvent(client, TABLE, line).then(
      (event) => event && report(quoted(event)),
      (error) => report(`The event of a status change cannot be printed (${nameOf(error)}).`),
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
