import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SCOPES, signingKey } from '../../support/issuer.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { type Functions, loadFunctions, startService } from '../../support/service.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * What the issuer's documentation says of its tokens, with the placeholders of docs/production.md, such as
 * `DIRECTORY_ID`.
 */
interface Documented {
  source: string;
  typ?: string;
  common: Claims;
  machine: Claims;
  user: Claims;
  logged: { tenant: string; client: string };
}

const scopes = SCOPES.split(' ');
const now = Math.floor(Date.now() / 1000);

const issuers: Readonly<Record<string, Documented>> = {
  'Entra ID v2': {
    source: 'https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference',
    typ: 'JWT',
    common: {
      iss: 'https://login.microsoftonline.com/DIRECTORY_ID/v2.0',
      aud: 'API_CLIENT_ID',
      nbf: now,
      azp: 'b1c2',
      azpacr: '1',
      oid: 'd3e4',
      tid: 'DIRECTORY_ID',
      ver: '2.0',
    },
    machine: { sub: 'd3e4', idtyp: 'app', roles: scopes },
    user: {
      sub: 'f5-g6_h7',
      scp: SCOPES,
      roles: ['Recruiter'],
      preferred_username: 'a@example.com',
    },
    logged: { tenant: 'b1c2', client: 'b1c2' },
  },
  'Entra ID v1': {
    source: 'https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference',
    typ: 'JWT',
    common: {
      iss: 'https://sts.windows.net/DIRECTORY_ID/',
      nbf: now,
      appid: 'b1c2',
      appidacr: '1',
      idp: 'https://sts.windows.net/DIRECTORY_ID/',
      tid: 'DIRECTORY_ID',
      ver: '1.0',
    },
    machine: { aud: 'api://API_CLIENT_ID', sub: 'd3e4', oid: 'd3e4', roles: scopes },
    user: { aud: 'API_CLIENT_ID', sub: 'f5', acr: '1', amr: ['pwd'], scp: SCOPES },
    logged: { tenant: 'b1c2', client: 'b1c2' },
  },
  Okta: {
    source: 'https://developer.okta.com/docs/reference/api/oidc/#access-token-payload',
    common: {
      ver: 1,
      jti: 'AT.0mP4',
      iss: 'https://DOMAIN/oauth2/default',
      aud: 'api://default',
      cid: 'nmdP1f',
      tenant: 'acme',
    },
    machine: { sub: 'nmdP1f', scp: scopes },
    user: { sub: 'ana@example.com', uid: '00ujmk', scp: ['openid', ...scopes] },
    logged: { tenant: 'acme', client: 'nmdP1f' },
  },
  Auth0: {
    source: 'https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles',
    typ: 'JWT',
    common: { iss: 'https://DOMAIN/', azp: 'my_client_id', org_id: 'org_9ybsU1' },
    machine: {
      aud: 'API_IDENTIFIER',
      sub: 'my_client_id@clients',
      gty: 'client-credentials',
      scope: SCOPES,
    },
    user: {
      aud: ['API_IDENTIFIER', 'https://DOMAIN/userinfo'],
      sub: 'auth0|123456',
      scope: 'openid profile',
      permissions: scopes,
    },
    logged: { tenant: 'org_9ybsU1', client: 'my_client_id' },
  },
  Keycloak: {
    source: 'https://www.keycloak.org/docs/latest/server_admin/#_audience',
    typ: 'JWT',
    common: {
      iss: 'https://HOST/realms/REALM',
      typ: 'Bearer',
      azp: 'partner',
      acr: '1',
      realm_access: { roles: ['default-roles-realm'] },
      organization: ['acme'],
      tenant: 'acme',
    },
    machine: {
      aud: 'API_CLIENT_ID',
      sub: '5a3e',
      client_id: 'partner',
      preferred_username: 'service-account-partner',
      scope: `email profile ${SCOPES}`,
    },
    user: { aud: ['API_CLIENT_ID', 'account'], sub: '7c1d', sid: '9f', scope: `openid ${SCOPES}` },
    logged: { tenant: 'acme', client: 'partner' },
  },
  'Amazon Cognito': {
    source:
      'https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html',
    common: {
      iss: 'https://cognito-idp.REGION.amazonaws.com/POOL_ID',
      version: 2,
      client_id: 'CLIENT_ID',
      token_use: 'access',
      scope: scopes.map((scope) => `recruitment/${scope}`).join(' '),
    },
    machine: { sub: 'CLIENT_ID' },
    user: { sub: 'aaaa-bbbb', username: 'ana', 'cognito:groups': ['recruiters'], event_id: 'c' },
    logged: { tenant: 'CLIENT_ID', client: 'CLIENT_ID' },
  },
  Zitadel: {
    source: 'https://zitadel.com/docs/apis/openidoauth/claims',
    common: {
      iss: 'https://INSTANCE.zitadel.cloud',
      nbf: now,
      'urn:zitadel:iam:user:resourceowner:id': '69234237810729019',
      'urn:zitadel:iam:org:project:PROJECT_ID:roles': Object.fromEntries(
        scopes.map((role) => [role, { 69234237810729019: 'acme.example.com' }]),
      ),
    },
    machine: { aud: ['PROJECT_ID'], sub: '77776025198584418', client_id: 'partner' },
    user: { aud: ['692@recruitment', 'PROJECT_ID'], sub: '77776025198584419', azp: 'partner' },
    logged: { tenant: '69234237810729019', client: 'partner' },
  },
  'Ory Hydra': {
    source: 'https://www.ory.com/docs/oauth2-oidc/jwt-access-token',
    typ: 'JWT',
    common: {
      iss: 'https://HOST',
      aud: ['API_AUDIENCE'],
      client_id: 'partner',
      nbf: now,
      ext: { tenant: 'acme' },
      tenant: 'acme',
    },
    machine: { sub: 'partner', scp: scopes },
    user: { sub: 'ana', scp: ['openid', 'offline', ...scopes] },
    logged: { tenant: 'acme', client: 'partner' },
  },
};

const page = readFileSync('docs/production.md', 'utf8');

/** In the table of docs/production.md, a cell without backticks means that the setting keeps its default. */
function settingsOf(issuer: string) {
  const cells = page
    .split('\n')
    .find((line) => line.startsWith(`| ${issuer} |`))
    ?.split('|')
    .map((cell) => /`(.+)`/.exec(cell)?.[1] ?? '');
  const [, , ISSUER = '', AUDIENCE = '', SCOPE_CLAIMS = '', TENANT_CLAIM = ''] = cells ?? [];
  const note = page.split('\n- ').find((text) => text.startsWith(`**${issuer}**`));
  const SCOPE_PREFIX = /`scopePrefix`\s+to\s+`([^`]+)`/.exec(note ?? '')?.[1] ?? '';
  return { ISSUER, AUDIENCE, SCOPE_CLAIMS, TENANT_CLAIM, SCOPE_PREFIX };
}

describe('the settings on the page accept what is documented for', async () => {
  const [service, key] = await Promise.all([startService(), signingKey('RS256')]);
  service.issuer.published = [key.jwk];
  const JWKS_URI = `${service.issuer.url}/jwks`;
  const load = (issuer: string) => loadFunctions(service, { ...settingsOf(issuer), JWKS_URI });
  const mint = (claims: Claims, typ?: string) => {
    const none = { aud: undefined, client_id: undefined, scope: undefined };
    return service.issuer.mint({ ...none, ...claims }, { typ }, key);
  };
  const codesOf = async (functions: Functions, token: string) => [
    (await functions.getApplication({ token })).body.code ?? 'read',
    (await functions.updateJobStatus({ token })).body.code ?? 'updated',
  ];

  const rows = Object.entries(issuers).map(([name, row]) => ({ name, ...row }));
  it.each(rows)('$name ($source)', async ({ name, common, machine, user, typ, logged }) => {
    const { tenant } = logged;
    await service.table.put(applicationItem({ tenant }));
    await service.table.put(jobItem({ tenant }));
    const functions = await load(name);
    for (const claims of [machine, user]) {
      const token = await mint({ ...common, ...claims }, typ);
      expect(await codesOf(functions, token)).toEqual(['read', 'updated']);
      expect(service.log.take()).toMatchObject([logged, logged]);
    }
  });

  it.each(['Keycloak', 'Ory Hydra'])('%s, but no tenant in an object or a list', async (name) => {
    const { common = {}, machine } = { ...issuers[name] };
    const token = await mint({ ...common, ...machine, tenant: undefined });
    const { body } = await (await load(name)).getApplication({ token });
    expect(body).toMatchObject({ code: 'no_tenant', detail: expect.stringContaining('`tenant`') });
  });

  it('every issuer but Google, whose tokens are refused with the reason on the page', async () => {
    const lines = page.split('\n').filter((line) => line.includes('| `https://'));
    expect(lines.map((line) => line.split('|')[1]?.trim())).toEqual(Object.keys(issuers));
    expect(page).toContain('| Google | cannot work |');
    const google = 'https://accounts.google.com';
    const functions = await loadFunctions(service, {
      ISSUER: google,
      AUDIENCE: 'CLIENT_ID',
      JWKS_URI,
    });
    await functions.getApplication({ token: 'ya29.a0AfH6SMBx-example' });
    await functions.getApplication({
      // Claims as in https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload.
      token: await mint(
        { iss: google, aud: 'CLIENT_ID', azp: 'CLIENT_ID', sub: '110', hd: 'x' },
        'JWT',
      ),
    });
    expect(service.log.lines).toMatchObject([
      { outcome: 'invalid_token', token_fault: 'not_signed_jwt' },
      { outcome: 'insufficient_scope', client: 'CLIENT_ID' },
    ]);
  });
});
