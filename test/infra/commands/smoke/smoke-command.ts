import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { smokeCommand } from '../../../../infra/commands/smoke/command.ts';
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
import { startSpoilingProxy } from './spoiling-proxy.ts';

interface RunOptions extends Run {
  token?: string;
  timeoutMs?: number;
}

interface Service {
  table: TestTable;
  issuer: TestIssuer;
}

/**
 * Starts, for the tests of a file, the synthesized stack behind the local gateway: routes and bundles as
 * deployed, with the policy that allows the fewest moves. A proxy can spoil its responses.
 */
export function useSmokeCommand() {
  const service = {} as Service;
  const gateway = createGateway(() => undefined);
  let proxy: Awaited<ReturnType<typeof startSpoilingProxy>>;
  /** The time of the command, which only its pauses move. */
  let timeMs = 0;
  captureLog();
  beforeAll(async () => {
    [service.table, service.issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
    await gateway.serve({ routes: routes(service) });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    proxy = await startSpoilingProxy(`http://127.0.0.1:${portOf(gateway.server)}`);
  });
  afterAll(async () => {
    proxy.stop();
    await gateway.stop();
    await service.issuer.stop();
  });
  beforeEach(() => {
    proxy.spoil = () => undefined;
    timeMs = 0;
  });
  /** The arguments that name the service and its table. */
  const args = () => ['--base-url', proxy.url, '--table', service.table.name];
  return {
    service,
    get proxy() {
      return proxy;
    },
    get timeMs() {
      return timeMs;
    },
    args,
    /** Runs it with these arguments, and a valid token. */
    async run(
      given = args(),
      { token, timeoutMs = 10_000, ...options }: RunOptions = {},
    ): Promise<Ended> {
      const TOKEN = token ?? (await service.issuer.mint());
      const pause = async (ms: number, signal: AbortSignal) => {
        signal.throwIfAborted();
        timeMs += ms;
      };
      const command = smokeCommand({ timeoutMs, now: () => timeMs, pause });
      return runCommand(command, given, { env: { ...environment(), TOKEN }, ...options });
    },
    /** The items in the table. */
    left: () => storedIn(service.table),
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

/** The lines of the checks that failed. */
export const failures = (out: string) =>
  out.split('\n').filter((line) => line.startsWith('FAILED'));
