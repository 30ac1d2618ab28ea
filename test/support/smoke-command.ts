import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type GatewayService, useGatewayService } from './gateway-service.ts';
import { environment, start } from './operator-command.ts';
import { SpoilingProxy } from './spoiling-proxy.ts';

/** A smoke test under way; `ended` says how it ended and what it has written. */
interface Started {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<{ exitCode: number | null; out: string; err: string }>;
}

/** `npm run smoke` against a whole service whose answers a proxy can spoil. */
export interface SmokeCommand {
  service: GatewayService;
  proxy: SpoilingProxy;
  /** Starts it with these arguments beside the address; by default with the table. */
  start(args?: string[], token?: string): Promise<Started>;
  run(args?: string[], token?: string): Started['ended'];
  /** What is in the table, consistently read. */
  left(): Promise<Record<string, unknown>[]>;
}

/** Starts, for the tests of a file, a service under the policy that allows the fewest moves. */
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
  smoke.start = async (args = ['--table', service.table.name], token) => {
    const env = { ...environment(), TOKEN: token ?? (await service.issuer.mint()) };
    const all = ['--base-url', smoke.proxy.url, ...args];
    return started(start('smoke', all, { env }));
  };
  smoke.run = async (args, token) => (await smoke.start(args, token)).ended;
  smoke.left = async () => {
    const { client, name } = service.table;
    const found = await client.send(new ScanCommand({ TableName: name, ConsistentRead: true }));
    return found.Items ?? [];
  };
  return smoke;
}

function started(child: ChildProcessWithoutNullStreams): Started {
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(
    ([exitCode, out, err]) => ({ exitCode, out, err }),
  );
  return { child, ended };
}

/** The lines of the checks that failed. */
export const failures = (out: string) =>
  out.split('\n').filter((line) => line.startsWith('FAILED'));
