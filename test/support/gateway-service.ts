import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, inject } from 'vitest';
import { createGateway } from '../../infra/local/gateway.ts';
import { routesOf } from '../../infra/local/routes.ts';
import { synthesize } from '../../infra/local/template.ts';
import { AUDIENCE, TestIssuer } from './issuer.ts';
import { type CapturedLog, captureLog } from './log.ts';
import { portOf } from './server.ts';
import { createTestTable, type TestTable } from './table.ts';

/** A request as it goes over the wire: its path is sent as it is written. */
export interface WireRequest {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export interface WireAnswer {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
}

/** The synthesized stack behind the local gateway: routes, bundles and variables as deployed. */
export interface GatewayService {
  table: TestTable;
  issuer: TestIssuer;
  log: CapturedLog;
  /** What the functions' logs would say of crashes and time-outs. */
  reports: string[];
  /** Where it listens. */
  url: string;
  send(request: WireRequest): Promise<WireAnswer>;
}

/**
 * Starts, for the tests of a file, the whole service but for the database, on HTTP.
 * @param context what the deployment chooses beside the issuer and the database.
 */
export function useGatewayService(context: Readonly<Record<string, string>> = {}): GatewayService {
  const reports: string[] = [];
  const service = { log: captureLog(), reports } as unknown as GatewayService;
  const gateway = createGateway((line) => reports.push(line));
  // Each request at once has an environment of its own, which is a thread.
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-gateway-service-'));
  beforeAll(async () => {
    [service.table, service.issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
    await gateway.serve({ routes: await routes(service, context, folder) });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    service.url = `http://127.0.0.1:${portOf(gateway.server)}`;
  });
  afterAll(async () => {
    agent.destroy();
    await gateway.stop();
    await service.issuer.stop();
    rmSync(folder, { recursive: true });
  });
  service.send = (request) => send(request, agent, portOf(gateway.server));
  return service;
}

async function routes(
  { table, issuer }: GatewayService,
  context: Readonly<Record<string, string>>,
  folder: string,
) {
  const databaseEndpoint = inject('databaseEndpoint');
  const own = { issuer: issuer.url, audience: AUDIENCE, databaseEndpoint };
  const template = await synthesize({ ...own, ...context }, folder);
  return routesOf(template, table.name, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
}

/** Sends with the HTTP client of Node, because `fetch` resolves `..` and refuses methods. */
async function send(
  { body, ...request }: WireRequest,
  agent: Agent,
  port: number,
): Promise<WireAnswer> {
  const sent = httpRequest({ ...request, agent, host: '127.0.0.1', port });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const { statusCode, headers } = response;
  return { status: statusCode, headers, text: await text(response) };
}
