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

/** An eventually consistent read of the embedded database never misses a write. */
export const command = smokeCommand(100, 10_000);

interface RunOptions {
  token?: string;
  settlingMs?: number;
  timeoutMs?: number;
}

interface Service {
  table: TestTable;
  issuer: TestIssuer;
}

/**
 * Starts, for the tests of a file, the synthesized stack behind the local gateway: routes and bundles as
 * deployed, with the policy that allows the fewest moves. A proxy can spoil its answers.
 */
export function useSmokeCommand() {
  const service = {} as Service;
  const gateway = createGateway(() => undefined);
  let proxy: Awaited<ReturnType<typeof startSpoilingProxy>>;
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
  });
  /** The arguments that name the service and its table. */
  const args = () => ['--base-url', proxy.url, '--table', service.table.name];
  return {
    service,
    get proxy() {
      return proxy;
    },
    args,
    /** Runs it with these arguments, and a valid token. */
    async run(
      given = args(),
      { token, settlingMs = 100, timeoutMs = 10_000, ...options }: Run & RunOptions = {},
    ): Promise<Ended> {
      const TOKEN = token ?? (await service.issuer.mint());
      const env = { ...environment(), TOKEN };
      return runCommand(smokeCommand(settlingMs, timeoutMs), given, { env, ...options });
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
