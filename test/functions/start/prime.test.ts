import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { operationNames } from '../../../functions/operations/operations.ts';
import type {
  Dependencies,
  Handler,
  OperationModule,
} from '../../../functions/platform/dependencies.ts';
import type { Invocation } from '../../../functions/platform/invocation.ts';
import { start } from '../../../functions/start/start.ts';
import { contextOf } from '../../support/invoke.ts';
import { applicationItem } from '../../support/items.ts';
import { portOf } from '../../support/server.ts';
import { loadFunctions, startProxiedService, variablesOf } from '../../support/service.ts';

describe('a function that starts', async () => {
  const service = await startProxiedService();
  const paths = () => service.issuer.requests.splice(0);
  const ofEach = <T>(...values: T[]) => operationNames.flatMap(() => values);

  it('has fetched the issuer’s keys for itself before the first request', async () => {
    paths();
    const functions = await loadFunctions(service);
    const document = '/.well-known/openid-configuration';
    expect(paths().toSorted()).toEqual([...ofEach(document), ...ofEach('/jwks')]);
    await service.table.put(applicationItem({}));
    expect((await functions.getApplication()).status).toBe(200);
    expect(paths()).toEqual([]);
  });

  it('has opened its own connection to the database before the first request', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const endpoint = `http://127.0.0.1:${portOf(server)}`;
    await loadFunctions(service, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
    await expect.poll(() => connections).toBe(operationNames.length);
    server.closeAllConnections();
    server.close();
  });

  // Any response other than 200 would be logged, as the last two tests of this file show.
  it('primes with a request that succeeds and sends nothing to DynamoDB', async () => {
    service.proxy.requests = [];
    await loadFunctions(service, { TENANT_CLAIM: 'tenant', SCOPE_PREFIX: 'recruitment/' });
    expect(service.proxy.requests).toEqual([]);
    expect(service.log.lines).toEqual([]);
  });

  it.each(operationNames)(
    'does not let real requests of %s use the token of the priming',
    async (name) => {
      const operation: OperationModule = await import(
        `../../../functions/operations/${name}/handler.ts`
      );
      const events: Invocation[] = [];
      const createHandler = (dependencies: Dependencies): Handler => {
        const handler = operation.createHandler(dependencies);
        return (event, context) => {
          events.push(structuredClone(event));
          return handler(event, context);
        };
      };
      const options = { ...service.options, variables: variablesOf(service, {}) };
      const handler = await start({ ...operation, createHandler }, options);
      expect(events).toHaveLength(1);
      const [primed] = events as [Invocation];
      const { body } = await handler(primed, contextOf());
      expect(JSON.parse(body).code).toBe('invalid_token');
    },
  );

  it('logs the error of a priming that fails', async () => {
    const operation = await import('../../../functions/operations/get-application/handler.ts');
    const { event } = operation.priming;
    const options = {
      ...service.options,
      variables: variablesOf(service, { AWS_LAMBDA_FUNCTION_VERSION: '7' }),
    };
    await start(
      { ...operation, priming: { event, response: { Item: {}, ConsumedCapacity: {} } } },
      options,
    );
    const failure = { name: 'Problem', code: 'stored_data_invalid', stack: expect.any(Array) };
    expect(service.log.lines).toMatchObject([
      { outcome: 'priming_failed', function_version: '7', failure },
    ]);
  });

  it('serves requests if its priming fails, and logs the failure', async () => {
    await service.table.put(applicationItem({}));
    const verifying = vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(false);
    const functions = await loadFunctions(service);
    verifying.mockRestore();
    const failure = { name: 'invalid_token' };
    const line = { level: 'WARN', outcome: 'priming_failed', failure };
    expect(service.log.lines).toMatchObject(ofEach({ ...line, operation: expect.any(String) }));
    expect((await functions.getApplication()).status).toBe(200);
  });
});
