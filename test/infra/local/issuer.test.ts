import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startIssuer } from '../../../infra/local/issuer.ts';
import { listenOn } from '../../../infra/local/local-server.ts';
import { requestToken } from '../../../infra/local/token.ts';
import { test as it } from '../../support/fixtures.ts';

const options = {
  audience: 'tests',
  tenantClaim: 'org_id',
  scopes: ['api/read', 'api/write', 'api/read'],
  allowedOrigins: [],
};

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

it('the local issuer takes another port if its own is in use, and its tokens follow the settings', async ({
  folder,
  onTestFinished,
}) => {
  const other = createServer();
  const port = await listenOn(other, 0);
  onTestFinished(() => void other.close());
  const issuer = await startIssuer({ ...options, file: join(folder, 'issuer.json'), port });
  onTestFinished(() => issuer.stop());
  const claims = claimsOf(await requestToken(issuer.tokenEndpoint, { tenant: 'acme' }));
  expect(claims).toMatchObject({
    iss: issuer.url,
    aud: 'tests',
    org_id: 'acme',
    scope: 'api/read api/write',
  });
  const narrow = await requestToken(issuer.tokenEndpoint, { scope: 'api/write', tenant: '' });
  expect(claimsOf(narrow)).toMatchObject({ scope: 'api/write' });
  expect(claimsOf(narrow)).not.toHaveProperty('org_id');
});
