import { once } from 'node:events';
import { createServer } from 'node:http';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach } from 'vitest';
import { operationNames, operations } from '../../../../functions/operations/operations.ts';
import { createGateway, type Route } from '../../../../infra/local/gateway.ts';
import { smokeCommand } from '../../../../infra/operator/smoke/smoke.ts';
import { storedIn } from '../../../support/candidates.ts';
import { TestIssuer } from '../../../support/issuer.ts';
import {
  type Ended,
  environment,
  type Run,
  runCommand,
} from '../../../support/operator-command.ts';
import { portOf } from '../../../support/server.ts';
import { loadHandler } from '../../../support/service.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

export interface PassingResponse {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Changes a response before the client gets it. The result `hang` withholds the response, `reset` closes the
 * connection.
 */
export type Spoiler = (response: PassingResponse) => unknown;

interface RunOptions extends Run {
  token?: string;
}

interface Service {
  table: TestTable;
  issuer: TestIssuer;
}

export const LONG_MS = 60_000;

/** Its transition policy is the one that allows the fewest moves. Await this call before the first test is declared. */
export async function startSmokeService() {
  const [table, issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
  const service: Service = { table, issuer };
  const backends = { ...service, options: { log: () => undefined } };
  const variables = { TRANSITION_POLICY: 'lifecycle' };
  const routes = await Promise.all(
    operationNames.map(async (name) => ({
      contract: operations[name],
      handler: (await loadHandler(backends, name, variables)) as Route['handler'],
    })),
  );
  const gateway = createGateway({
    routes,
    corsOrigins: [],
    limitMs: LONG_MS,
    report: (line) => process.stderr.write(`${line}\n`),
  });
  const server = createServer(gateway).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: { url: string; spoil: Spoiler } = {
    url: `http://127.0.0.1:${portOf(server)}`,
    spoil: () => undefined,
  };
  /** The command's clock, which only its pauses advance. */
  let timeMs = 0;
  server.prependListener('request', (request, response) => {
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
    server.close();
    server.closeAllConnections();
    await issuer.stop();
  });
  beforeEach(async () => {
    api.spoil = () => undefined;
    timeMs = 0;
    // Some tests make the command leave its items in the table.
    for (const { pk, sk } of await storedIn(table)) {
      await table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } }));
    }
  });
  const args = ['--base-url', api.url, '--table', table.name];
  return {
    ...service,
    api,
    get timeMs() {
      return timeMs;
    },
    args,
    async run(given: string[] = args, { token, ...options }: RunOptions = {}): Promise<Ended> {
      const TOKEN = token ?? (await issuer.mint());
      const pause = async (ms: number, signal: AbortSignal) => {
        signal.throwIfAborted();
        timeMs += ms;
      };
      const command = smokeCommand({ timeoutMs: LONG_MS, now: () => timeMs, pause });
      return runCommand(command, given, { env: { ...environment(), TOKEN }, ...options });
    },
    left: () => storedIn(table),
  };
}

export const failures = (out: string) =>
  out.split('\n').filter((line) => line.startsWith('FAILED'));
