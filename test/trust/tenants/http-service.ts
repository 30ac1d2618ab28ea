import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { bundleFolder } from '../../../infra/build/bundles.ts';
import { createGateway } from '../../../infra/local/gateway.ts';
import type { Route } from '../../../infra/local/routes.ts';
import { AUDIENCE } from '../../support/issuer.ts';
import { portOf } from '../../support/server.ts';
import type { Backends } from '../../support/service.ts';

/** An answer as it came over HTTP. */
export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface HttpRequest {
  method: string;
  /** As it is sent: `fetch` would normalize it. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** The built functions behind the local gateway, which decodes paths as API Gateway does. */
export async function startHttpService(
  { table, issuer }: Backends,
  variables: Readonly<Record<string, string>> = {},
) {
  const reports: string[] = [];
  const gateway = createGateway((line) => reports.push(line));
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: inject('databaseEndpoint'),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    TABLE_NAME: table.name,
    ISSUER: issuer.url,
    AUDIENCE,
    ...variables,
  };
  await gateway.serve(
    operationNames.map((name): Route => {
      const { method, path } = operations[name];
      return {
        routeKey: `${method} ${path}`,
        method,
        segments: path.split('/'),
        function: {
          name,
          folder: bundleFolder(name),
          handler: 'index.handler',
          variables: environment,
          memoryMegabytes: 512,
          timeoutSeconds: 6,
        },
      };
    }),
  );
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  return {
    /** What the gateway said of functions that failed to answer. */
    reports,
    async send({ body, ...wanted }: HttpRequest): Promise<HttpAnswer> {
      const sent = request({ host: '127.0.0.1', port: portOf(gateway.server), agent, ...wanted });
      sent.end(body);
      const [response] = await once(sent, 'response');
      return {
        status: response.statusCode,
        headers: response.headers,
        text: await text(response),
      };
    },
    async stop(): Promise<void> {
      agent.destroy();
      await gateway.stop();
    },
  };
}

export type HttpService = Awaited<ReturnType<typeof startHttpService>>;
