import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import inspector from 'node:inspector';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LogRecord } from '../../functions/contract/log-record.ts';
import { splitList } from '../../functions/domain/split-list.ts';
import { operationNames, operations } from '../../functions/operations/operations.ts';
import type { OperationModule } from '../../functions/platform/dependencies.ts';
import { TIMEOUT_S } from '../../functions/platform/environment.ts';
import { type StartOptions, start } from '../../functions/start/start.ts';
import { nameOf } from '../command/failure.ts';
import { quoted } from '../command/output.ts';
import { LOCAL_ACCESS_KEY_ID, type ServiceState, writeState } from '../command/service-state.ts';
import { LOCAL_BUCKET } from '../data/table/files-bucket.ts';
import { compileValidators } from '../stack/bundle/validators.ts';
import { variablesOf } from '../stack/settings/settings.ts';
import { createApiReference } from './api-reference.ts';
import { changeEvent } from './change-event.ts';
import { lockFolder, OWNER_ONLY } from './data-folder.ts';
import { BLOCKED_PORTS, type Database, isReady, startDatabase } from './database.ts';
import { createGateway, type Route, type ServePage } from './gateway.ts';
import { startIssuer } from './issuer.ts';
import { FILES_PATH, serveFiles } from './local-bucket.ts';
import { listenOn } from './local-server.ts';
import type { LocalSettings } from './local-settings.ts';
import { createTable, dropTable, loadSample } from './local-table.ts';

const TABLE = 'recruitment-local';
const AUDIENCE = 'recruitment-local';
const TENANT_CLAIM = 'tenant';
const DEBUGGED_TIMEOUT_S = 86_400;

interface ServiceOptions {
  directory: string;
  port: number;
  reset: boolean;
  settings: LocalSettings;
  /**
   * Reads `AWS_REGION`, and `AWS_ENDPOINT_URL_DYNAMODB` for a DynamoDB other than the embedded one. Tests set
   * `RECRUITMENT_TEST_DATABASE_PORT=0`, because other services may be using all of `BLOCKED_PORTS`.
   */
  env: NodeJS.ProcessEnv;
  /** How long to wait for a DynamoDB that somebody else started, which may not be ready yet. */
  databaseWithinMs?: number;
  /** Receives slow startup steps, events, and what Lambda itself would log about a crash or a timeout. */
  report: (line: string) => void;
  log: (line: string) => void;
}

/** An issuer other than the local one has only `url`. */
interface TokenIssuer {
  url: string;
  tokenEndpoint?: string;
  jwksUri?: string;
}

interface LocalService {
  state: ServiceState;
  stop(): Promise<void>;
}

/** @throws Error if a part cannot start; those already started are stopped. */
export async function startService(options: ServiceOptions): Promise<LocalService> {
  const { directory, port, reset, settings, report } = options;
  const corsOrigins = splitList(settings.corsOrigins);
  await using started = new AsyncDisposableStack();
  started.defer(lockFolder(directory));
  const ready = Promise.withResolvers<RequestListener>();
  const server = createServer(async (request, response) =>
    (await ready.promise)(request, response),
  );
  const baseUrl = `http://127.0.0.1:${await listenOn(server, port)}`;
  started.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  const database = started.adopt(await openDatabase(options), (part) => part.stop());
  const issuer: TokenIssuer =
    settings.issuer === undefined
      ? started.adopt(
          await startIssuer({
            file: join(directory, 'issuer.json'),
            port: issuerPort(port),
            audience: splitList(settings.audience)[0] ?? AUDIENCE,
            tenantClaim: tenantClaimOf(settings),
            scopes: operationNames.map(
              (name) => (settings.scopePrefix ?? '') + operations[name].scope,
            ),
            allowedOrigins: corsOrigins,
          }),
          (part) => part.stop(),
        )
      : { url: settings.issuer };
  const client = started.adopt(clientOf(database, options), (part) => part.destroy());
  const files = join(directory, 'files');
  report('Preparing the table …');
  if (reset) {
    rmSync(files, { recursive: true, force: true });
    await dropTable(client, TABLE);
  }
  await createTable(client, TABLE);
  await loadSample({ client: DynamoDBDocumentClient.from(client), name: TABLE }, files);
  const state: ServiceState = {
    pid: process.pid,
    baseUrl,
    issuer: issuer.url,
    ...(issuer.tokenEndpoint && { tokenEndpoint: issuer.tokenEndpoint }),
    databaseEndpoint: database.endpoint,
    region: awsOf(options).region,
    tableName: TABLE,
  };
  const variables = functionVariables(state, issuer.jwksUri, options);
  const routes = await startHandlers(variables, client, options);
  const bucket = serveFiles(files, awsOf(options));
  const reference = createApiReference(state);
  const servePage: ServePage = async (request) => (await bucket(request)) ?? reference(request);
  const limitMs = timeoutS() * 1000;
  // For `sam local start-api --env-vars` (docs/local.md).
  const mode = OWNER_ONLY.file;
  writeFileSync(join(directory, 'sam.json'), JSON.stringify({ Parameters: variables }), { mode });
  writeState(directory, state);
  ready.resolve(createGateway({ routes, corsOrigins, limitMs, servePage, report }));
  const parts = started.move();
  return { state, stop: () => parts.disposeAsync() };
}

/** One above the gateway's port, so that a restart does not change the issuer's URL. */
const issuerPort = (port: number) => (port === 0 || port === 65_535 ? 0 : port + 1);

/** By default, the local issuer's tokens name a tenant; another issuer's need not. */
function tenantClaimOf({ issuer, tenantClaim }: LocalSettings): string | undefined {
  const claim = tenantClaim ?? (issuer === undefined ? TENANT_CLAIM : 'none');
  return claim === 'none' ? undefined : claim;
}

async function openDatabase(options: ServiceOptions): Promise<Database> {
  const { directory, reset, env, databaseWithinMs = 10_000, report } = options;
  const endpoint = env.AWS_ENDPOINT_URL_DYNAMODB;
  if (endpoint) {
    if (await isReady(endpoint, AbortSignal.timeout(databaseWithinMs))) {
      // Somebody else started this database, so it keeps running.
      return { endpoint, stop: async () => undefined };
    }
    throw new Error(`Nothing responds at AWS_ENDPOINT_URL_DYNAMODB, ${endpoint}.`);
  }
  const file = join(directory, 'dynamodb.sqlite');
  if (reset) for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  const ports = env.RECRUITMENT_TEST_DATABASE_PORT === '0' ? [0] : BLOCKED_PORTS;
  return startDatabase(report, ports, ['--db-path', file]);
}

/** Random, so that no web page can presign a URL for the local bucket. */
const SECRET_ACCESS_KEY = randomUUID();

/** DynamoDB Local accepts any secret access key. */
const awsOf = ({ env }: ServiceOptions) => ({
  region: env.AWS_REGION || 'us-east-1',
  credentials: { accessKeyId: LOCAL_ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY },
});

const clientOf = ({ endpoint }: Database, options: ServiceOptions) =>
  new DynamoDBClient({ endpoint, ...awsOf(options) });

const timeoutS = () => (inspector.url() === undefined ? TIMEOUT_S : DEBUGGED_TIMEOUT_S);

type LocalVariables = NonNullable<StartOptions['variables']>;

const functionVariables = (
  state: ServiceState,
  jwksUri: string | undefined,
  { settings }: ServiceOptions,
): LocalVariables => ({
  AUDIENCE,
  JWKS_URI: jwksUri,
  SCOPE_PREFIX: '',
  TRANSITION_POLICY: 'any',
  ...variablesOf(settings),
  ISSUER: state.issuer,
  TENANT_CLAIM: tenantClaimOf(settings),
  TABLE_NAME: state.tableName,
  AWS_ENDPOINT_URL_DYNAMODB: state.databaseEndpoint,
  FILES_BUCKET: LOCAL_BUCKET,
  FILES_URL: `${state.baseUrl}${FILES_PATH}`,
});

async function startHandlers(
  variables: LocalVariables,
  client: DynamoDBClient,
  options: ServiceOptions,
): Promise<Route[]> {
  const runtime: LocalVariables = {
    AWS_REGION: awsOf(options).region,
    TIMEOUT_S: String(timeoutS()),
    // Unlike Lambda's value, makes the log contain every error's message.
    AWS_EXECUTION_ENV: 'local',
  };
  // Handlers read credentials only from the environment.
  process.env.AWS_ACCESS_KEY_ID = LOCAL_ACCESS_KEY_ID;
  process.env.AWS_SECRET_ACCESS_KEY = SECRET_ACCESS_KEY;
  delete process.env.AWS_SESSION_TOKEN;
  const printEvent = (record: LogRecord) =>
    changeEvent(client, TABLE, record).then(
      (event) => event && options.report(quoted(event)),
      (error) => {
        options.report(`The event of a status change cannot be printed (${nameOf(error)}).`);
      },
    );
  const log = (record: Readonly<LogRecord>) => {
    options.log(JSON.stringify(record));
    void printEvent(record);
  };
  // Handlers import the validators, which a fresh clone lacks.
  await compileValidators();
  return Promise.all(
    operationNames.map(async (name) => {
      const operation: OperationModule = await import(
        `../../functions/operations/${name}/handler.ts`
      );
      const handler = await start(operation, { variables: { ...variables, ...runtime }, log });
      return { contract: operation.contract, handler };
    }),
  );
}
