import { once } from 'node:events';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, inject } from 'vitest';
import { smokeCommand } from '../../../../infra/commands/smoke/smoke.ts';
import { createGateway } from '../../../../infra/local/gateway.ts';
import { routesOf } from '../../../../infra/local/routes.ts';
import { readTemplate } from '../../../../infra/local/template.ts';
import { storedIn } from '../../../support/candidates.ts';
import { AUDIENCE, TestIssuer } from '../../../support/issuer.ts';
import { captureLog } from '../../../support/log.ts';
import {
  type Ended,
  environment,
  type Run,
  runCommand,
} from '../../../support/operator-command.ts';
import { portOf } from '../../../support/server.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

/** A response that a spoiler may change before the client gets the response. */
export interface PassingResponse {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Changes a response in place. Returns `hang` to withhold the response, or `reset` to close the connection. */
export type Spoiler = (response: PassingResponse) => unknown;

interface RunOptions extends Run {
  token?: string;
  timeoutMs?: number;
}

interface Service {
  table: TestTable;
  issuer: TestIssuer;
}

/** The time limit of a response, which no busy machine reaches. */
const LONG_MS = 60_000;

/**
 * Starts the synthesized stack behind the local gateway, for the tests of a file: the routes and bundles as deployed,
 * with the transition policy that allows the fewest moves. Tests can spoil the responses. Await the call before the first
 * test is declared.
 */
export async function startSmokeService() {
  captureLog();
  const [table, issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
  const service: Service = { table, issuer };
  const gateway = createGateway(() => undefined);
  await gateway.serve({ routes: routes(service) });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const api: { url: string; spoil: Spoiler } = {
    url: `http://127.0.0.1:${portOf(gateway.server)}`,
    spoil: () => undefined,
  };
  /** The time of the command. Only the pauses of the command move this time. */
  let timeMs = 0;
  gateway.server.prependListener('request', (request, response) => {
    const { method = '', url: path = '' } = request;
    const { writeHead, end } = response;
    const passing = { method, path, status: 0, headers: {}, body: '' };
    response.writeHead = ((status: number, headers: PassingResponse['headers']) => {
      delete headers['content-length'];
      Object.assign(passing, { status, headers });
      return response;
    }) as typeof writeHead;
    response.end = ((body: string) => {
      const ending = api.spoil(Object.assign(passing, { body }));
      if (ending === 'reset') return response.destroy();
      if (ending === 'hang') return response;
      writeHead.call(response, passing.status, passing.headers);
      return end.call(response, passing.body, 'utf8');
    }) as typeof end;
  });
  afterAll(async () => {
    await gateway.stop();
    await issuer.stop();
  });
  beforeEach(async () => {
    api.spoil = () => undefined;
    timeMs = 0;
    // A test may make the command leave its items in the table.
    for (const { pk, sk } of await storedIn(table)) {
      await table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }));
    }
  });
  /** The arguments that name the service and its table. */
  const args = ['--base-url', api.url, '--table', table.name];
  return {
    ...service,
    api,
    get timeMs() {
      return timeMs;
    },
    args,
    /** Runs the command with these arguments, and with a valid token by default. */
    async run(
      given: string[] = args,
      { token, timeoutMs = LONG_MS, ...options }: RunOptions = {},
    ): Promise<Ended> {
      const TOKEN = token ?? (await issuer.mint());
      const pause = async (ms: number, signal: AbortSignal) => {
        signal.throwIfAborted();
        timeMs += ms;
      };
      const command = smokeCommand({ timeoutMs, now: () => timeMs, pause });
      return runCommand(command, given, { env: { ...environment(), TOKEN }, ...options });
    },
    /** Returns the items in the table. */
    left: () => storedIn(table),
  };
}

function routes({ table, issuer }: Service) {
  const values = {
    TABLE_NAME: table.name,
    ISSUER: issuer.url,
    JWKS_URI: `${issuer.url}/jwks`,
    AUDIENCE,
    SCOPE_PREFIX: '',
    AWS_ENDPOINT_URL_DYNAMODB: inject('databaseEndpoint'),
    TRANSITION_POLICY: 'lifecycle',
  };
  const aws = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return routesOf(readTemplate(inject('assembly')), values, { AWS_REGION: 'us-east-1', ...aws });
}

/** Returns the lines of the failed checks. */
export const failures = (out: string) =>
  out.split('\n').filter((line) => line.startsWith('FAILED'));
