import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startIssuer } from '../../../infra/local/issuer.ts';
import { requestToken } from '../../../infra/local/token.ts';
import { test as it } from '../../support/fixtures.ts';

const options = {
  audience: 'tests',
  tenantClaim: 'org_id',
  scopePrefix: 'api/',
  allowedOrigins: [],
};

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

it('the local issuer takes another port if its own is in use, and keeps that port and its key', async ({
  folder,
}) => {
  const file = join(folder, 'issuer.json');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const start = () => startIssuer({ ...options, file, port });
  const keysOf = async (url: string) => (await fetch(`${url}/jwks`)).json();

  const first = await start();
  const keys = await keysOf(first.url);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  first.stop();
  const second = await start();
  expect([second.url, await keysOf(second.url)]).toEqual([first.url, keys]);
  expect(JSON.stringify(keys)).not.toContain('"d"');
  second.stop();
  other.close();
});

it('a local token follows the settings', async ({ folder }) => {
  const issuer = await startIssuer({ ...options, file: join(folder, 'issuer.json'), port: 0 });
  const claims = claimsOf(await requestToken(issuer.tokenEndpoint, { tenant: 'acme' }));
  expect(claims).toMatchObject({
    iss: issuer.url,
    aud: 'tests',
    org_id: 'acme',
    scope: 'api/applications:read api/jobs:write',
  });
  const narrow = await requestToken(issuer.tokenEndpoint, { scope: 'api/jobs:write', tenant: '' });
  expect(claimsOf(narrow)).toMatchObject({ scope: 'api/jobs:write' });
  expect(claimsOf(narrow)).not.toHaveProperty('org_id');
  issuer.stop();
});
