import { jwtVerify, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { applicationItem, jobItem } from '../../support/items.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';

describe('a function that starts', () => {
  const service = useProxiedService();
  const paths = () => service.issuer.requests.splice(0);

  it('has the issuer’s keys before the first request, each function its own', async () => {
    paths();
    const functions = await loadFunctions(service);
    const document = '/.well-known/openid-configuration';
    expect(paths().toSorted()).toEqual([document, document, '/jwks', '/jwks']);
    await service.table.put(applicationItem({}));
    expect((await functions.getApplication()).status).toBe(200);
    expect(paths()).toEqual([]);
  });

  it('rehearses without a request to the database and without a log line', async () => {
    service.proxy.requests = [];
    await loadFunctions(service, { TENANT_CLAIM: 'tenant', SCOPE_PREFIX: 'recruitment/' });
    expect(service.proxy.requests).toEqual([]);
    expect(service.log.lines).toEqual([]);
  });

  it('says that its first request is the first, the rehearsal aside', async () => {
    await service.table.put(jobItem({}));
    const functions = await loadFunctions(service);
    await functions.updateJobStatus();
    await functions.updateJobStatus();
    expect(service.log.lines).toMatchObject([{ cold_start: true }, { cold_start: false }]);
  });

  it('accepts no token by the key of its rehearsal', async () => {
    const generating = vi.spyOn(crypto.subtle, 'generateKey');
    const functions = await loadFunctions(service);
    const pairs = await Promise.all(generating.mock.results.map(({ value }) => value));
    generating.mockRestore();
    expect(pairs).toHaveLength(2);
    for (const { publicKey, privateKey } of pairs) {
      const token = await new SignJWT(service.issuer.claims())
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
        .sign(privateKey);
      await jwtVerify(token, publicKey);
      const answers = [
        await functions.getApplication({ token }),
        await functions.updateJobStatus({ token }),
      ];
      for (const { body } of answers) expect(body.code).toBe('invalid_token');
    }
  });

  it('serves though its rehearsal fails, and says so', async () => {
    // A claim that holds no tenant: every request is refused.
    const functions = await loadFunctions(service, { TENANT_CLAIM: 'exp' });
    expect(service.log.lines).toMatchObject([
      {
        level: 'WARN',
        operation: expect.any(String),
        outcome: 'rehearsal_failed',
        rehearsal: { outcome: 'no_tenant', status: 403 },
      },
      { outcome: 'rehearsal_failed' },
    ]);
    const { status, body } = await functions.getApplication();
    expect([status, body.code]).toEqual([403, 'no_tenant']);
  });

  it('serves though its rehearsal cannot begin, and says so without the words of others', async () => {
    await service.table.put(applicationItem({}));
    const generating = vi
      .spyOn(crypto.subtle, 'generateKey')
      .mockRejectedValue(new TypeError('ana@example.com'));
    const functions = await loadFunctions(service);
    generating.mockRestore();
    expect(service.log.lines).toMatchObject([
      { outcome: 'rehearsal_failed', failure: { name: 'TypeError', stack: expect.any(Array) } },
      { outcome: 'rehearsal_failed' },
    ]);
    expect(service.log.text).not.toContain('ana@example.com');
    expect((await functions.getApplication()).status).toBe(200);
  });
});
