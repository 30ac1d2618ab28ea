import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { createGateway } from '../../../../infra/local/gateway.ts';
import { routesOf } from '../../../../infra/local/routes.ts';
import { synthesize } from '../../../../infra/local/template.ts';
import { smokeCommand } from '../../../../infra/operations/smoke/command.ts';
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
import { SpoilingProxy } from './spoiling-proxy.ts';

const commandSettling = (settlingMs: number) =>
  smokeCommand({ totalMs: 60_000, settlingMs, pauseMs: 5 });

/** An eventually consistent read of the embedded database never misses a write. */
export const command = commandSettling(100);

/** `npm run smoke` against a whole service whose answers a proxy can spoil. */
export interface SmokeCommand {
  service: Service;
  proxy: SpoilingProxy;
  /** The arguments that name the service and its table. */
  args(): string[];
  /** Runs it with these arguments, by default with `args()`, and a valid token. */
  run(args?: string[], options?: Run & { token?: string; settlingMs?: number }): Promise<Ended>;
  /** The items in the table, read consistently. */
  left(): Promise<Record<string, unknown>[]>;
}

interface Service {
  table: TestTable;
  issuer: TestIssuer;
}

/**
 * Starts, for the tests of a file, the synthesized stack behind the local gateway: routes, bundles and
 * variables as deployed, with the policy that allows the fewest moves.
 */
export function useSmokeCommand(): SmokeCommand {
  const service = {} as Service;
  const smoke = { service } as SmokeCommand;
  const gateway = createGateway(() => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-smoke-service-'));
  captureLog();
  beforeAll(async () => {
    [service.table, service.issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
    await gateway.serve({ routes: await routes(service, folder) });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    smoke.proxy = await SpoilingProxy.start(`http://127.0.0.1:${portOf(gateway.server)}`);
  });
  afterAll(async () => {
    await smoke.proxy.stop();
    await gateway.stop();
    await service.issuer.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    smoke.proxy.spoil = () => undefined;
  });
  smoke.args = () => ['--base-url', smoke.proxy.url, '--table', service.table.name];
  smoke.run = async (args = smoke.args(), { token, settlingMs = 100, ...options } = {}) => {
    const TOKEN = token ?? (await service.issuer.mint());
    return runCommand(commandSettling(settlingMs), args, {
      env: { ...environment(), TOKEN },
      ...options,
    });
  };
  smoke.left = async () => {
    const { client, name } = service.table;
    const found = await client.send(new ScanCommand({ TableName: name, ConsistentRead: true }));
    return found.Items ?? [];
  };
  return smoke;
}

async function routes({ table, issuer }: Service, folder: string) {
  const databaseEndpoint = inject('databaseEndpoint');
  const own = { issuer: issuer.url, audience: AUDIENCE, databaseEndpoint };
  const template = await synthesize({ ...own, transitionPolicy: 'lifecycle' }, folder);
  const aws = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return routesOf(template, { TABLE_NAME: table.name }, { AWS_REGION: 'us-east-1', ...aws });
}

/** The lines of the checks that failed. */
export const failures = (out: string) =>
  out.split('\n').filter((line) => line.startsWith('FAILED'));
