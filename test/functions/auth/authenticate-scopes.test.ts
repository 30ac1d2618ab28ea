import { createLocalJWKSet } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyAccessToken } from '../../../functions/auth/access-token.ts';
import { AUDIENCE } from '../../support/issuer.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { type Service, useService } from '../../support/service.ts';

const store = async ({ table }: Service) => {
  await table.put(applicationItem({}));
  await table.put(jobItem({}));
};

const lacking = (scope: string) => ({
  status: 403,
  headers: {
    'Content-Type': 'application/problem+json',
    'WWW-Authenticate': `Bearer realm="recruitment", error="insufficient_scope", scope="${scope}"`,
  },
  body: problemBody('insufficient_scope', { detail: expect.stringContaining(scope) }),
});

describe('the scopes of a token', () => {
  const service = useService();
  beforeAll(() => store(service));

  it('each allow their own operation and no other', async () => {
    const reader = await service.issuer.mint({ scope: 'applications:read' });
    const writer = await service.issuer.mint({ scope: 'jobs:write' });
    expect((await service.getApplication({ token: reader })).status).toBe(200);
    expect((await service.updateJobStatus({ token: writer })).status).toBe(200);
    expect(await service.getApplication({ token: writer })).toMatchObject(
      lacking('applications:read'),
    );
    expect(await service.updateJobStatus({ token: reader })).toMatchObject(lacking('jobs:write'));
  });

  it.each([
    ['`scope`, a string', { scope: 'openid applications:read profile' }],
    ['`scope`, a list', { scope: ['openid', 'applications:read'] }],
    ['`scp`, a list', { scope: undefined, scp: ['openid', 'applications:read'] }],
    ['`scp`, a string', { scope: undefined, scp: 'openid applications:read' }],
  ])('may stand in %s', async (_, claims) => {
    const token = await service.issuer.mint(claims);
    expect((await service.getApplication({ token })).status).toBe(200);
  });

  it.each([
    ['there are none', { scope: undefined }],
    ['they are empty', { scope: '' }],
    ['they are an empty list', { scope: undefined, scp: [] }],
    ['they are of another kind', { scope: { 'applications:read': true } }],
    ['a list holds other things', { scope: [['applications:read'], 1, null] }],
    ['one only begins like it', { scope: 'applications:reader applications:read:own' }],
    ['one only ends like it', { scope: 'recruitment/applications:read' }],
    ['it is in another case', { scope: 'Applications:Read' }],
    ['they are separated by commas', { scope: 'applications:read,jobs:write' }],
  ])('do not allow the read if %s', async (_, claims) => {
    const token = await service.issuer.mint(claims);
    expect(await service.getApplication({ token })).toMatchObject(lacking('applications:read'));
  });

  it.each<[string, unknown, string[]]>([
    ['of a string', 'openid jobs:write', ['openid', 'jobs:write']],
    ['of a list, and nothing else of it', ['openid', 7, null, ['jobs:write']], ['openid']],
    ['of nothing else', { 'jobs:write': true }, []],
  ])('are the names %s', async (_, scope, names) => {
    const { issuer } = service;
    const settings = { issuer: issuer.url, audiences: [AUDIENCE] };
    const keys = createLocalJWKSet({ keys: [issuer.key.jwk] });
    const { scopes } = await verifyAccessToken(await issuer.mint({ scope }), keys, settings);
    expect(scopes).toEqual(names);
  });

  it('name the caller in the log if they do not suffice', async () => {
    const token = await service.issuer.mint({ scope: '', sub: 'curious', client_id: 'partner' });
    await service.getApplication({ token });
    expect(service.log.lines).toMatchObject([
      {
        outcome: 'insufficient_scope',
        status: 403,
        tenant: 'default',
        subject: 'curious',
        client: 'partner',
        job_id: 'j-1',
        candidate_id: 'c-1',
      },
    ]);
  });
});

describe('the scopes in a deployment that gives them a prefix', () => {
  const service = useService({ SCOPE_PREFIX: 'recruitment/' });
  beforeAll(() => store(service));

  it('are asked for with the prefix', async () => {
    const token = await service.issuer.mint({ scope: 'recruitment/applications:read' });
    expect((await service.getApplication({ token })).status).toBe(200);
    expect(await service.updateJobStatus({ token })).toMatchObject(
      lacking('recruitment/jobs:write'),
    );
  });

  it('do not suffice without it', async () => {
    const token = await service.issuer.mint({ scope: 'applications:read' });
    expect(await service.getApplication({ token })).toMatchObject(
      lacking('recruitment/applications:read'),
    );
  });
});
