import { setTimeout as sleep } from 'node:timers/promises';
import { JWKSMultipleMatchingKeys } from 'jose/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../../functions/auth/authenticate.ts';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { jwksCache } from '../../../functions/auth/jwks-cache.ts';
import {
  insufficientScope,
  invalidToken,
  noTenant,
  Problem,
  unauthenticated,
} from '../../../functions/contract/problem.ts';
import { readEnvironment } from '../../../functions/runtime/env.ts';
import { systemClock } from '../../../functions/runtime/moment.ts';
import { AUDIENCE } from '../../support/issuer.ts';
import { claimTables, INHERITED, inherited, TENANT_CLAIM, tenants } from './tokens/claim-rows.ts';
import { headerTables } from './tokens/header-rows.ts';
import { ofLength, textTables } from './tokens/text-rows.ts';
import {
  createSetup,
  type Expected,
  ISSUER,
  type Row,
  SCOPE,
  type Setup,
  tokenOf,
} from './tokens/token.ts';

/** How long a busy machine may take to fetch keys, in milliseconds. */
const PATIENT_MS = 30_000;
const tables = { ...claimTables, ...headerTables, ...textTables };

describe('a token', () => {
  let setup: Setup;
  let cache: ReturnType<typeof jwksCache>;
  beforeAll(async () => {
    setup = await createSetup();
    const fetchKeys = () => fetchIssuerKeys(ISSUER, `${setup.issuer.url}/jwks`, PATIENT_MS);
    cache = jwksCache(fetchKeys, systemClock);
  });
  afterAll(() => Promise.all([setup.issuer.stop(), setup.attacker.stop()]));

  /** The caller of a request, or the problem. */
  async function outcomeOf(request: object, tenantClaim?: string, keys = cache, scopePrefix = '') {
    const environment = readEnvironment({
      TABLE_NAME: 'table',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.us-east-1.amazonaws.com',
      ISSUER,
      AUDIENCE: `${AUDIENCE},client-9`,
      SCOPE_PREFIX: scopePrefix,
      TENANT_CLAIM: tenantClaim,
    });
    const event: { caller?: unknown } = { ...request };
    Object.assign(event, { signal: new AbortController().signal });
    try {
      await authenticate(SCOPE, { environment, findKey: keys.find }).before?.({ event } as never);
      return { caller: event.caller };
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      const { code, detail, headers } = problem;
      return { caller: event.caller, code, detail, challenge: headers['WWW-Authenticate'] };
    }
  }
  const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  async function check({ make, expected }: Row, tenantClaim?: string): Promise<void> {
    const made = await (typeof make === 'function' ? make(setup) : make);
    const request =
      typeof made === 'object' && 'request' in made
        ? made.request
        : withToken(typeof made === 'string' ? made : tokenOf(setup, made));
    expect(await outcomeOf(request, tenantClaim)).toEqual(outcomeFor(expected, tenantClaim));
  }

  describe.each(Object.entries(tables))('(%s) that', (_, rows) => {
    it.each(rows)('$name: $expected', (row) => check(row));
  });
  it.each(tenants)('that $name: $expected', (row) => check(row, TENANT_CLAIM));
  describe.each(INHERITED)('that, if the tenant is in the claim %s,', (claim) => {
    it.each(inherited(claim))('$name: $expected', (row) => check(row, claim));
  });

  it('is needed before any keys are, and one of 8193 bytes or another form is none', async () => {
    const noKeys = { ...cache, find: () => expect.fail('The keys were asked for.') };
    for (const [token, code] of [
      ['a.b.c', 'invalid_token'],
      [ofLength(8193, setup), 'invalid_token'],
      ['', 'unauthenticated'],
    ] as const) {
      expect(await outcomeOf(withToken(token), undefined, noKeys)).toMatchObject({ code });
    }
  });

  it('may be signed by any of several keys that take long to read', async () => {
    const token = tokenOf(setup, { key: setup.twins[1], header: { kid: undefined } });
    const find: typeof cache.find = async (header, jws) => {
      try {
        return await cache.find(header, jws);
      } catch (error) {
        if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
        async function* slowly(keys: JWKSMultipleMatchingKeys) {
          for await (const key of keys) {
            yield key;
            // A verification with this key would fail meanwhile.
            await sleep(50);
          }
        }
        const several = { [Symbol.asyncIterator]: () => slowly(error) };
        throw Object.assign(new JWKSMultipleMatchingKeys(), several);
      }
    };
    const { code } = await outcomeOf(withToken(token), undefined, { ...cache, find });
    expect(code).toBeUndefined();
  });

  it('has scopes with the prefix of the deployment', async () => {
    const prefixed = tokenOf(setup, { claims: { scope: `recruitment/${SCOPE}` } });
    const refused = await outcomeOf(withToken(tokenOf(setup)), undefined, cache, 'recruitment/');
    expect(refused.code).toBe('insufficient_scope');
    expect(refused.challenge).toContain(`scope="recruitment/${SCOPE}"`);
    expect(refused.detail).toContain(`the scope recruitment/${SCOPE}.`);
    const allowed = await outcomeOf(withToken(prefixed), undefined, cache, 'recruitment/');
    expect(allowed.code).toBeUndefined();
  });

  it('has no tenant from a prototype, even from one that something else has changed', async () => {
    const inherited = { value: 'acme', configurable: true };
    Object.defineProperty(Object.prototype, TENANT_CLAIM, inherited);
    const { code } = await outcomeOf(withToken(tokenOf(setup)), TENANT_CLAIM).finally(() =>
      Reflect.deleteProperty(Object.prototype, TENANT_CLAIM),
    );
    expect(code).toBe('no_tenant');
  });

  it('makes the service ask no server of the attacker, which answers', async () => {
    expect(setup.attacker.requests).toEqual([]);
    expect((await fetch(`${setup.attacker.url}/jwks`)).status).toBe(200);
  });
});

/** What comes of a row. The caller is known of a token that is good, even if it may not act. */
function outcomeFor(expected: Expected, tenantClaim?: string) {
  const caller = {
    subject: 'user-1',
    client: 'client-1',
    tenant: tenantClaim === undefined ? 'default' : undefined,
  };
  const challenge = 'Bearer realm="recruitment"';
  if (typeof expected === 'object') return { caller: expect.objectContaining(expected) };
  if (expected === 'unauthenticated') {
    return { code: expected, detail: unauthenticated().detail, challenge };
  }
  const forbidden = `${challenge}, error="insufficient_scope", scope="${SCOPE}"`;
  if (expected === 'insufficient_scope') {
    const detail = insufficientScope(SCOPE).detail;
    return { caller, code: expected, detail, challenge: forbidden };
  }
  if (expected === 'no_tenant') {
    return { caller, code: expected, detail: noTenant(SCOPE).detail, challenge: forbidden };
  }
  const detail = invalidToken(expected).detail;
  return { code: 'invalid_token', detail, challenge: `${challenge}, error="invalid_token"` };
}
