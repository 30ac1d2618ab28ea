import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet } from 'jose';
import { JWKSMultipleMatchingKeys } from 'jose/errors';
import { afterAll, describe, expect, it } from 'vitest';
import { scopesOf } from '../../../functions/auth/access-token.ts';
import { authenticate } from '../../../functions/auth/authenticate.ts';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import {
  insufficientScope,
  invalidToken,
  noTenant,
  Problem,
  unauthenticated,
  unavailable,
} from '../../../functions/contract/problem.ts';
import { systemClock } from '../../../functions/platform/clock.ts';
import { readEnvironment, type Variables } from '../../../functions/platform/environment.ts';
import { AUDIENCE, signingKey } from '../../support/issuer.ts';
import { claimTables, TENANT_CLAIM, tenants } from './tokens/claim-rows.ts';
import { headerTables } from './tokens/header-rows.ts';
import { ofLength, textTables } from './tokens/text-rows.ts';
import {
  createSetup,
  type Expected,
  ISSUER,
  NOW,
  type Row,
  SCOPE,
  tokenOf,
} from './tokens/token.ts';

const PATIENT_MS = 30_000;
const IMPORT_MS = 50;
const tables = { ...claimTables, ...headerTables, ...textTables };

describe('a token', async () => {
  const setup = await createSetup();
  const fetchKeys = () => fetchIssuerKeys(ISSUER, `${setup.issuer.url}/jwks`, PATIENT_MS);
  const cache = jwksCache(fetchKeys, systemClock);
  afterAll(() => Promise.all([setup.issuer.stop(), setup.attacker.stop()]));

  async function outcomeOf(
    request: object,
    variables: Variables = {},
    verifyWithIssuerKeys = cache.verifyWithIssuerKeys,
  ) {
    const environment = readEnvironment({
      TABLE_NAME: 'table',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.us-east-1.amazonaws.com',
      ISSUER,
      AUDIENCE: `${AUDIENCE},client-9`,
      ...variables,
    });
    const event: { caller?: unknown } = { ...request };
    Object.assign(event, { signal: new AbortController().signal });
    try {
      const clock = () => ({ date: NOW * 1000, monotonic: 0 });
      const dependencies = { environment, verifyWithIssuerKeys, clock };
      await authenticate(SCOPE, dependencies).before?.({ event } as never);
      return { caller: event.caller };
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const { code, detail, options } = problem;
      return {
        caller: event.caller,
        code,
        fault: options.tokenFault,
        detail,
        challenge: options.headers?.['WWW-Authenticate'],
      };
    }
  }
  const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  async function check({ make, expected }: Row, tenantClaim?: string): Promise<void> {
    const made = typeof make === 'function' ? make(setup) : make;
    const request =
      typeof made === 'object' && 'request' in made
        ? made.request
        : withToken(typeof made === 'string' ? made : tokenOf(setup, made));
    const outcome = await outcomeOf(request, { TENANT_CLAIM: tenantClaim });
    expect(outcome).toEqual(outcomeFor(expected, tenantClaim));
  }

  describe.each(Object.entries(tables))('(%s) that', (_, rows) => {
    it.each(rows)('$name: $expected', (row) => check(row));
  });
  it.each(tenants)('that $name: $expected', (row) => check(row, TENANT_CLAIM));

  it('is rejected before the keys are fetched if it is missing, malformed or has 8193 bytes', async () => {
    const noKeys: typeof cache.verifyWithIssuerKeys = (verify) =>
      verify(() => expect.fail('The keys were requested.'));
    for (const [token, code] of [
      ['a.b.c', 'invalid_token'],
      [ofLength(8193, setup), 'invalid_token'],
      ['', 'unauthenticated'],
    ] as const) {
      expect(await outcomeOf(withToken(token), {}, noKeys)).toMatchObject({ code });
    }
  });

  it('names a wrong issuer or audience without a fetch for newer keys, even if the issuer is down', async () => {
    const failed: unknown[] = [];
    // The cache does not fetch newer keys if `verify` itself fails with a `Problem`.
    const missing: typeof cache.verifyWithIssuerKeys = (verify) =>
      verify(() => Promise.reject(unavailable('issuer'))).catch((error) => {
        failed.push(error.options.tokenFault);
        throw error;
      });
    for (const claims of [{ iss: 'https://other.example.com' }, { aud: 'other' }, {}]) {
      const token = tokenOf(setup, { key: setup.unpublished, claims });
      await outcomeOf(withToken(token), {}, missing);
    }
    // 503 instead of a token fault: the token may be valid, and a client discards a token that gets 401.
    expect(failed).toEqual(['other_issuer', 'other_audience', undefined]);
  });

  it('may be signed by any of several matching keys that take long to import', async () => {
    async function* slowly() {
      for (const { publicKey } of setup.twins) {
        yield publicKey;
        // All keys must be imported before the first verification begins. A verification that failed during this pause
        // would be an unhandled rejection.
        await sleep(IMPORT_MS);
      }
    }
    const several = { [Symbol.asyncIterator]: slowly };
    const verifyWithIssuerKeys: typeof cache.verifyWithIssuerKeys = (verify) =>
      verify(() => Promise.reject(Object.assign(new JWKSMultipleMatchingKeys(), several)));
    const token = tokenOf(setup, { key: setup.twins[1] });
    expect((await outcomeOf(withToken(token), {}, verifyWithIssuerKeys)).code).toBeUndefined();
  });

  it('is refused if none of several matching keys can be imported', async () => {
    const verifyWithIssuerKeys: typeof cache.verifyWithIssuerKeys = (verify) =>
      verify(() => Promise.reject(new JWKSMultipleMatchingKeys()));
    const { fault } = await outcomeOf(withToken(tokenOf(setup)), {}, verifyWithIssuerKeys);
    expect(fault).toBe('bad_signature');
  });

  it('is verified with at most twenty matching keys', async () => {
    const keys = await Promise.all(Array.from({ length: 21 }, () => signingKey()));
    const findKey = createLocalJWKSet({ keys: keys.map(({ jwk }) => jwk) });
    const codes = keys.map(async (key) => {
      const token = tokenOf(setup, { key, header: { kid: undefined } });
      return (await outcomeOf(withToken(token), {}, (verify) => verify(findKey))).code;
    });
    expect(await Promise.all(codes)).toEqual([...Array(20), 'invalid_token']);
  });

  it('has no scope that comes from a prototype', () => {
    const claims = Object.assign(Object.create({ scope: SCOPE }), { scp: 'openid' });
    expect(scopesOf(claims, ['scope', 'scp'], undefined)).toEqual(['openid']);
    const roles = Object.create({ [SCOPE]: { 6923: 'acme.example.com' } });
    expect(scopesOf({ roles }, ['roles'], '6923')).toEqual([]);
    const organizations = Object.create({ 6923: 'acme.example.com' });
    expect(scopesOf({ roles: { [SCOPE]: organizations } }, ['roles'], '6923')).toEqual([]);
  });

  it('needs the scope with the prefix of the deployment', async () => {
    const prefix = { SCOPE_PREFIX: 'recruitment/' };
    const refused = await outcomeOf(withToken(tokenOf(setup)), prefix);
    expect(refused.code).toBe('insufficient_scope');
    expect(refused.challenge).toContain(`scope="recruitment/${SCOPE}"`);
    const prefixed = tokenOf(setup, { claims: { scope: `recruitment/${SCOPE}` } });
    expect((await outcomeOf(withToken(prefixed), prefix)).code).toBeUndefined();
  });

  it('has no tenant from a prototype, even if other code has changed Object.prototype', async () => {
    const inherited = { value: 'acme', configurable: true };
    Object.defineProperty(Object.prototype, TENANT_CLAIM, inherited);
    const { code } = await outcomeOf(withToken(tokenOf(setup)), { TENANT_CLAIM }).finally(() =>
      Reflect.deleteProperty(Object.prototype, TENANT_CLAIM),
    );
    expect(code).toBe('no_tenant');
  });

  it('never makes the service send a request to the attacker, whose server would respond', async () => {
    expect(setup.attacker.requests).toEqual([]);
    expect((await fetch(`${setup.attacker.url}/jwks`)).status).toBe(200);
  });
});

function outcomeFor(expected: Expected, tenantClaim?: string) {
  if (expected === 'ok') return { caller: expect.any(Object) };
  if (typeof expected === 'object') return { caller: expect.objectContaining(expected) };
  const challenge = 'Bearer realm="recruitment"';
  const code = expected;
  if (code === 'unauthenticated') return { code, detail: unauthenticated().detail, challenge };
  const isNoTenant = code === 'no_tenant' || code === 'unusable_tenant';
  if (code !== 'insufficient_scope' && !isNoTenant) {
    const { detail } = invalidToken(code);
    return {
      code: 'invalid_token',
      fault: code,
      detail,
      challenge: `${challenge}, error="invalid_token"`,
    };
  }
  const caller: Record<string, unknown> = { subject: 'user-1', client: 'client-1' };
  const refused = `${challenge}, error="insufficient_scope"`;
  if (isNoTenant) {
    const { detail } = noTenant(TENANT_CLAIM, code === 'unusable_tenant');
    return { caller, code: 'no_tenant', detail, challenge: refused };
  }
  caller.tenant = tenantClaim === undefined ? 'default' : expect.any(String);
  const { detail } = insufficientScope(SCOPE, ['scope', 'scp']);
  return { caller, code, detail, challenge: `${refused}, scope="${SCOPE}"` };
}
