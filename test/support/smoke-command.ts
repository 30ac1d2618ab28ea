import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { smokeCommand } from '../../infra/operations/smoke/command.ts';
import { type GatewayService, useGatewayService } from './gateway-service.ts';
import { type Ended, environment, type Run, runCommand } from './operator-command.ts';
import { SpoilingProxy } from './spoiling-proxy.ts';

const commandSettling = (settlingMs: number) =>
  smokeCommand({ totalMs: 60_000, settlingMs, pauseMs: 5 });

/** An eventually consistent read of the embedded database never misses a write. */
export const command = commandSettling(100);

/** `npm run smoke` against a whole service whose answers a proxy can spoil. */
export interface SmokeCommand {
  service: GatewayService;
  proxy: SpoilingProxy;
  /** The arguments that name the service and its table. */
  args(): string[];
  /** Runs it with these arguments, by default with `args()`, and a valid token. */
  run(args?: string[], options?: Run & { token?: string; settlingMs?: number }): Promise<Ended>;
  /** The items in the table, read consistently. */
  left(): Promise<Record<string, unknown>[]>;
}

/** Starts, for the tests of a file, a service with the policy that allows the fewest moves. */
export function useSmokeCommand(): SmokeCommand {
  const service = useGatewayService({ transitionPolicy: 'lifecycle' });
  const smoke = { service } as SmokeCommand;
  beforeAll(async () => {
    smoke.proxy = await SpoilingProxy.start(() => service.url);
  });
  afterAll(() => smoke.proxy.stop());
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

/** The lines of the checks that failed. */
export const failures = (out: string) =>
  out.split('\n').filter((line) => line.startsWith('FAILED'));
