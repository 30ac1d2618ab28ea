import { beforeAll, describe, expect, it } from 'vitest';
import { applicationItem, fullApplication, leastApplication } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { loadFunctions, useService } from '../../support/service.ts';

const LONGEST = 'é'.repeat(128);

describe('the tenant of a caller', () => {
  const service = useService({ TENANT_CLAIM: 'https://example.com/tenant' });
  const claim = 'https://example.com/tenant';
  beforeAll(async () => {
    await service.table.put(applicationItem({ tenant: 'default' }));
    await service.table.put(applicationItem({ tenant: 'acme' }, leastApplication));
    await service.table.put(applicationItem({ tenant: LONGEST }));
  });
  const read = async (claims: Readonly<Record<string, unknown>>) =>
    service.getApplication({ token: await service.issuer.mint(claims) });

  it('is what the claim says that the deployment names', async () => {
    const { status, body } = await read({ [claim]: 'acme' });
    expect(status).toBe(200);
    expect(body.summary).toBeNull();
    expect(service.log.lines).toMatchObject([{ tenant: 'acme' }]);
  });

  it('may have a name of 256 bytes', async () => {
    expect((await read({ [claim]: LONGEST })).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['the claim is missing', {}],
    ['another claim has it', { tenant: 'acme' }],
    ['it is empty', { [claim]: '' }],
    ['it is a number', { [claim]: 7 }],
    ['it is a list', { [claim]: ['acme'] }],
    ['it is null', { [claim]: null }],
    ['it is longer than 256 bytes', { [claim]: `${LONGEST}a` }],
    ['it holds a control character', { [claim]: 'acme\u0000' }],
  ])('is unknown if %s: 403 no_tenant', async (_, claims) => {
    const { status, headers, body } = await read(claims);
    expect(status).toBe(403);
    expect(headers['WWW-Authenticate']).toBe(
      'Bearer realm="recruitment", error="insufficient_scope", scope="applications:read"',
    );
    expect(body).toEqual(problemBody('no_tenant'));
    expect(service.log.lines).toMatchObject([{ outcome: 'no_tenant', subject: 'user-1' }]);
    expect(service.log.lines[0]).not.toHaveProperty('tenant');
  });

  it('is asked for after the scope', async () => {
    expect((await read({ scope: '' })).body.code).toBe('insufficient_scope');
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'is not what every object has by the name %s',
    async (name) => {
      const functions = await loadFunctions(service, { TENANT_CLAIM: name });
      const token = await service.issuer.mint();
      expect((await functions.getApplication({ token })).body.code).toBe('no_tenant');
    },
  );

  it('is the same for all if the deployment names no claim', async () => {
    const functions = await loadFunctions(service);
    const token = await service.issuer.mint({ [claim]: 'acme', tenant: 'acme' });
    const { body } = await functions.getApplication({ token });
    expect(body).toEqual(fullApplication);
    expect(service.log.lines).toMatchObject([{ tenant: 'default' }]);
  });
});
