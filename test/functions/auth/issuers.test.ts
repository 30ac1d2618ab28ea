import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pseudonym } from '../../../functions/domain/identifier.ts';
import { SCOPES, signingKey } from '../../support/issuer.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { issuerSettings } from '../../support/pages.ts';
import { type Functions, loadFunctions, startService } from '../../support/service.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * What the issuer's documentation says about its tokens, with the placeholders from docs/issuers.md, such as
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

/** As text: a number would lose the last digits. */
const ORGANIZATION = '69234237810729019';

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
      'urn:zitadel:iam:user:resourceowner:id': ORGANIZATION,
      'urn:zitadel:iam:org:project:PROJECT_ID:roles': Object.fromEntries(
        scopes.map((role) => [role, { [ORGANIZATION]: 'acme.example.com' }]),
      ),
    },
    machine: { aud: ['PROJECT_ID'], sub: '77776025198584418', client_id: 'partner' },
    user: { aud: ['692@recruitment', 'PROJECT_ID'], sub: '77776025198584419', azp: 'partner' },
    logged: { tenant: ORGANIZATION, client: 'partner' },
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
  Duende: {
    source: 'https://docs.duendesoftware.com/identityserver/tokens/requesting/',
    typ: 'at+jwt',
    common: {
      iss: 'https://HOST',
      aud: 'API_RESOURCE',
      client_id: 'partner',
      nbf: now,
      jti: '2F4A',
      tenant: 'acme',
      scope: scopes,
    },
    machine: { sub: undefined },
    user: { sub: '88421113', auth_time: now, idp: 'local', amr: ['pwd'], sid: '9F' },
    logged: { tenant: 'acme', client: 'partner' },
  },
  PingOne: {
    source:
      'https://developer.pingidentity.com/pingone-api/foundations/authentication-concepts/access-tokens-and-id-tokens/token-claims.html',
    common: {
      iss: 'https://auth.pingone.com/ENVIRONMENT_ID/as',
      aud: ['API_AUDIENCE'],
      client_id: 'partner',
      scope: SCOPES,
    },
    machine: { sub: undefined },
    user: { sub: '24bf', sid: '7d0b', auth_time: now, acr: 'Single_Factor' },
    logged: { tenant: 'partner', client: 'partner' },
  },
};

/** Without a claim that names the client. */
const nameless = { azp: undefined, appid: undefined, client_id: undefined };

const page = readFileSync('docs/issuers.md', 'utf8');
const noteOf = (issuer: string) =>
  page.split('\n- ').find((text) => text.startsWith(`**${issuer.replace(/ v\d$/, '')}**`)) ?? '';

function variablesOf(name: string) {
  const { issuer, audience, scopeClaims, tenantClaim } = issuerSettings(name);
  const SCOPE_PREFIX = /`scopePrefix`\s+to\s+`([^`]+)`/.exec(noteOf(name))?.[1] ?? '';
  return {
    ISSUER: issuer,
    AUDIENCE: audience,
    SCOPE_CLAIMS: scopeClaims,
    TENANT_CLAIM: tenantClaim,
    SCOPE_PREFIX,
  };
}

describe('the settings on the page accept what is documented for', async () => {
  const [service, key] = await Promise.all([startService(), signingKey('RS256')]);
  service.issuer.published = [key.jwk];
  const JWKS_URI = `${service.issuer.url}/jwks`;
  const load = (issuer: string, variables = {}) =>
    loadFunctions(service, { ...variablesOf(issuer), JWKS_URI, ...variables });
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
      const line = { ...logged, subject: pseudonym(String(claims.sub ?? logged.client)) };
      expect(service.log.take()).toMatchObject([line, line]);
    }
  });

  it.each(rows)('$name, and the page says who else gets in and who sets the tenant', ({ name }) => {
    const note = noteOf(name).replace(/\s+/g, ' ');
    expect(note).toMatch(/\*\*Who else gets in\*\*: .*\*\*Who sets the tenant\*\*: /);
  });

  // Under "Others", the page says that these are refused, and what to add.
  it.each([
    ['Authentik', 'id_token', { nonce: 'n', azp: 'partner', uid: 'u1' }],
    ['Firebase', 'missing_client', { auth_time: now, user_id: 'u1', firebase: {} }],
    ['Supabase', 'missing_client', { role: 'authenticated', session_id: 's1', aal: 'aal1' }],
    ['WorkOS', 'missing_aud', { aud: undefined, sid: 's1', org_id: 'acme', permissions: scopes }],
    ['Clerk', 'missing_aud', { aud: undefined, azp: 'https://app.example.com', sid: 's1' }],
  ])('of %s, which is not in the table, no usual token: %s', async (name, fault, claims) => {
    expect(page).toContain(`\n- **${name}**`);
    const functions = await load('Keycloak', { TENANT_CLAIM: '', SCOPE_CLAIMS: 'permissions' });
    const { iss, aud } = { ...issuers.Keycloak?.common, ...issuers.Keycloak?.machine };
    const token = await mint({ iss, aud, sub: 'u1', ...claims }, 'JWT');
    expect(await codesOf(functions, token)).toEqual(Array(2).fill('invalid_token'));
    expect(service.log.take()).toMatchObject(Array(2).fill({ token_fault: fault }));
  });

  it.each([
    ['Zitadel', { at_hash: 'x', nonce: 'n', azp: 'partner', client_id: 'partner' }],
    ['Entra ID v2', { roles: scopes, nonce: 'n' }],
  ])('%s, but no ID token with roles', async (name, marks) => {
    const { common = {} } = { ...issuers[name] };
    const functions = await load(name);
    // Entra's ID tokens have neither `azp` nor `appid`.
    const claims = { ...common, ...(name.startsWith('Entra') && nameless) };
    const token = await mint({ ...claims, sub: '777', ...marks }, 'JWT');
    expect(await codesOf(functions, token)).toEqual(['invalid_token', 'invalid_token']);
    expect(service.log.take()).toMatchObject([{ token_fault: 'id_token' }, {}]);
  });

  it.each(
    ['Entra ID v1', 'Entra ID v2'].flatMap((name) => ['tid', ''].map((claim) => [name, claim])),
  )('%s with the tenant claim "%s", but no ID token from a refresh', async (name, claim) => {
    const { common = {}, user = {} } = { ...issuers[name] };
    const functions = await load(name, { TENANT_CLAIM: claim });
    const claims = { ...common, ...user, ...nameless, scp: undefined, roles: scopes };
    expect(await codesOf(functions, await mint(claims, 'JWT'))).toEqual(
      Array(2).fill('invalid_token'),
    );
    expect(service.log.take()).toMatchObject(Array(2).fill({ token_fault: 'missing_client' }));
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
        { iss: google, aud: 'CLIENT_ID', azp: 'CLIENT_ID', sub: '110', at_hash: 'HK6E' },
        'JWT',
      ),
    });
    expect(service.log.lines).toMatchObject([
      { outcome: 'invalid_token', token_fault: 'not_signed_jwt' },
      { outcome: 'invalid_token', token_fault: 'id_token' },
    ]);
  });
});
