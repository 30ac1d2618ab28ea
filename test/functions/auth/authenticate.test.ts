import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { systemClock } from '../../../functions/platform/clock.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { type SigningKey, signingKey } from '../../support/issuer.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { loadFunctions, startService } from '../../support/service.ts';

describe('the functions', async () => {
  let aheadMs = 0;
  const clock = () => ({ ...systemClock(), date: Date.now() + aheadMs });
  const service = await startService({}, { clock });
  beforeAll(() => service.table.put(applicationItem({})));
  beforeEach(async () => {
    aheadMs = 0;
    service.issuer.behaviour = 'up';
    service.issuer.published = [service.issuer.key.jwk];
    await service.table.put(jobItem({}));
  });

  it('each require their own scope, and change nothing for a caller without the scope', async () => {
    for (const name of operationNames) {
      const { scope } = operations[name];
      const token = await service.issuer.mint({ scope, sub: 'curious', client_id: 'partner' });
      for (const other of operationNames) {
        const { operationId, scope: required, response } = operations[other];
        const { status, body } = await service[operationId]({ token });
        // Several operations may need the same scope.
        const expected = required === scope ? response.status : 'insufficient_scope';
        expect(body.code ?? status).toBe(expected);
      }
      const caller = { tenant: 'default', subject: 'curious', client: 'partner' };
      expect(service.log.take()).toMatchObject(operationNames.map(() => caller));
    }
    await service.table.put(jobItem({}));
    const token = await service.issuer.mint({ scope: '' });
    expect((await service.updateJobStatus({ token })).status).toBe(403);
    expect(await service.table.read(jobKey('default', 'j-1'))).toEqual(jobItem({}));
  });

  it.each([
    ['replaces one under the same kid', 'reused'],
    ['lists its keys without kid', undefined],
  ])('accept tokens by a new key after ten seconds, if the issuer %s', async (_, kid) => {
    const { issuer } = service;
    const [first, second, other] = [await signingKey(), await signingKey(), await signingKey()];
    const publish = (key: SigningKey) => {
      issuer.published = [key, other].map(({ jwk }) => ({ ...jwk, kid }));
    };
    publish(first);
    const { getApplication } = await loadFunctions(service);
    publish(second);
    const statuses: number[] = [];
    aheadMs = 10_000;
    for (const key of [first, second, first]) {
      const token = await issuer.mint({}, { kid }, key);
      statuses.push((await getApplication({ token })).status);
    }
    expect(statuses).toEqual([200, 200, 401]);
  });

  it('respond with 503, not 401, while the issuer is down and its keys are not cached', async () => {
    const warm = await loadFunctions(service);
    service.issuer.behaviour = 'down';
    const cold = await loadFunctions(service);
    expect((await cold.getApplication({ token: undefined })).status).toBe(401);
    expect(service.log.take()).toHaveLength(1);
    const responses = await Promise.all(Object.values(cold).map((call) => call()));
    for (const { status, headers, body } of responses) {
      expect(status).toBe(503);
      expect(headers['Retry-After']).toBe('1');
      expect(headers).not.toHaveProperty('WWW-Authenticate');
      expect(body).toEqual(problemBody('unavailable'));
    }
    const line = { level: 'WARN', failure: { cause: { stack: expect.any(Array) } } };
    expect(service.log.lines).toMatchObject(responses.map(() => line));
    service.log.take();
    for (const call of Object.values(warm)) await call();
    // A tenant in the log line shows that the token was accepted.
    const accepted = expect.objectContaining({ tenant: 'default' });
    expect(service.log.lines).toEqual(responses.map(() => accepted));
  });

  it('respond with 401 if the issuer has only keys of other algorithms, and none is cached', async () => {
    const { issuer } = service;
    const warm = await loadFunctions(service);
    issuer.published = [{ ...issuer.key.jwk, alg: 'ES384' }];
    const cold = await loadFunctions(service);
    const refused = { status: 401, body: { detail: expect.stringContaining('RS256') } };
    // The second request comes in the pause after the fetch.
    expect([await cold.getApplication(), await cold.getApplication()]).toMatchObject(
      Array(2).fill(refused),
    );
    const line = { outcome: 'invalid_token', token_fault: 'no_accepted_key' };
    expect(service.log.take()).toMatchObject([line, line]);
    aheadMs = 8 * 60_000;
    expect(await warm.getApplication()).toMatchObject({ status: 200 });
    expect(await warm.getApplication()).toMatchObject({ status: 200 });
    aheadMs = 0;
    issuer.published = [];
    const empty = await loadFunctions(service);
    expect(await empty.getApplication()).toMatchObject({ status: 503 });
    service.log.take();
  });

  it('log where the keys are if the issuer redirects', async () => {
    service.issuer.behaviour = (response, url, text) =>
      response.writeHead(url.endsWith('/jwks') ? 302 : 200, { location: url }).end(text);
    const functions = await loadFunctions(service);
    expect(await functions.getApplication()).toMatchObject({ status: 503 });
    service.issuer.behaviour = 'up';
    const detail = expect.stringMatching(/returned 302, a redirect, .* set `jwksUri` to the final/);
    expect(service.log.take()).toMatchObject([{ failure: { cause: { detail } } }]);
  });

  it('respond with 503 that a retry does not cure if the discovery document names another issuer', async () => {
    const { discovery } = service.issuer;
    const issuer = 'https://login.example.com/common/';
    service.issuer.discovery = { ...discovery, issuer };
    const functions = await loadFunctions(service);
    const { status, body, text } = await functions.getApplication();
    service.issuer.discovery = discovery;
    expect(status).toBe(503);
    expect(body.detail).toMatch(/names another issuer, so a retry will not help/);
    expect(text).not.toContain(issuer);
    const cause = { detail: expect.stringContaining(`names another issuer: ${issuer}. Correct`) };
    expect(service.log.lines).toMatchObject([{ outcome: 'unavailable', failure: { cause } }]);
  });
});
