import { once } from 'node:events';
import { createServer } from 'node:http';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { importJWK, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { validatedSchemas } from '../../../functions/contract/validated-schemas.ts';
import type { Priming } from '../../../functions/runtime/dependencies.ts';
import { start } from '../../../functions/start/start.ts';
import { tableOperations } from '../../../infra/stack/table.ts';
import { applicationItem } from '../../support/items.ts';
import { portOf } from '../../support/server.ts';
import { loadFunctions, useProxiedService, variablesOf } from '../../support/service.ts';

describe('a function that starts', () => {
  const service = useProxiedService();
  const paths = () => service.issuer.requests.splice(0);
  /** Starts an operation that needs nothing but this priming. */
  const startWith = (priming: Partial<Priming>) =>
    start(
      {
        createHandler: () => () => Promise.reject(new Error('There is no request.')),
        priming: { operation: 'read', examples: [], response: {}, run: async () => {}, ...priming },
      },
      { ...service.options, variables: variablesOf(service, {}) },
    );
  const ofEach = <T>(...values: T[]) => operationNames.flatMap(() => values);

  it('has the issuer’s keys before the first request, each function its own', async () => {
    paths();
    const functions = await loadFunctions(service);
    const document = '/.well-known/openid-configuration';
    expect(paths().toSorted()).toEqual([...ofEach(document), ...ofEach('/jwks')]);
    await service.table.put(applicationItem({}));
    expect((await functions.getApplication()).status).toBe(200);
    expect(paths()).toEqual([]);
  });

  it('has a connection to the database before the first request, each function its own', async () => {
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

  it('primes without a request to the database and without a log line', async () => {
    service.proxy.requests = [];
    await loadFunctions(service, { TENANT_CLAIM: 'tenant', SCOPE_PREFIX: 'recruitment/' });
    expect(service.proxy.requests).toEqual([]);
    expect(service.log.lines).toEqual([]);
  });

  it('primes the verification of a token, once for each function', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    await loadFunctions(service);
    expect(verify.mock.settledResults).toEqual(ofEach({ type: 'fulfilled', value: true }));
    verify.mockRestore();
  });

  it('primes its one command, whose response it can read', async () => {
    const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
    await loadFunctions(service);
    const commands = send.mock.calls.map(([command]) => command.constructor.name);
    const allowed = Object.values(tableOperations).map((name) => name.replace('Item', 'Command'));
    expect(commands.toSorted()).toEqual(allowed.toSorted());
    expect(send.mock.settledResults.map(({ type }) => type)).toEqual(ofEach('fulfilled'));
    send.mockRestore();
  });

  it('primes each validator with an example that it accepts', async () => {
    // An update validates a stored job only if its condition fails.
    const names = Object.keys(validatedSchemas).filter((name) => name !== 'job');
    const load = () =>
      Promise.all(names.map((name) => import(/* @vite-ignore */ `#validators/${name}`)));
    // A validator of Ajv has no `errors` before its first call, and null after it accepted a value.
    for (const validator of await load()) validator.default.errors = undefined;
    await loadFunctions(service);
    for (const validator of await load()) expect(validator.default.errors).toBeNull();
  });

  it('primes the writing of its response', async () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    await loadFunctions(service);
    const written = stringify.mock.calls.map(([value]) => value);
    stringify.mockRestore();
    for (const name of operationNames) {
      expect(written).toContainEqual(operations[name].response.example);
    }
  });

  it('logs that a validator rejects the example of the priming', async () => {
    const rejecting = (value: unknown): value is string => value === 'a';
    await startWith({ examples: [[rejecting, 'a']] });
    expect(service.log.lines).toEqual([]);
    await startWith({ examples: [[rejecting, 'b']] });
    expect(service.log.lines).toMatchObject([{ outcome: 'priming_failed' }]);
  });

  it('rejects tokens signed with the key of the priming, whose private part is public', async () => {
    // RFC 7515, appendix A.3.
    const publicKey = {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    };
    const key = { ...publicKey, d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' };
    const token = await new SignJWT(service.issuer.claims())
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .sign(await importJWK(key, 'ES256'));
    await jwtVerify(token, await importJWK(publicKey, 'ES256'));
    const functions = await loadFunctions(service);
    for (const call of Object.values(functions)) {
      expect((await call({ token })).body.code).toBe('invalid_token');
    }
  });

  it('serves requests if its priming fails, and logs the failure', async () => {
    await service.table.put(applicationItem({}));
    const verifying = vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(false);
    const functions = await loadFunctions(service);
    verifying.mockRestore();
    const failure = { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' };
    const line = { level: 'WARN', outcome: 'priming_failed', failure };
    expect(service.log.lines).toMatchObject(ofEach({ ...line, operation: expect.any(String) }));
    expect((await functions.getApplication()).status).toBe(200);
  });
});
