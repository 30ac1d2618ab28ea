import { createHash, createPublicKey, publicDecrypt, verify } from 'node:crypto';
import { compactVerify, createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { printCounts } from '../../security/random-cases.ts';
import { loadFunctions, useService } from '../../support/service.ts';
import { algorithms, hashUnnamed, ofOtherAlgorithm } from './tokens/algorithms.ts';
import { claims } from './tokens/claims.ts';
import { credentials } from './tokens/credentials.ts';
import { duplicates } from './tokens/duplicates.ts';
import { headers, unencoded } from './tokens/headers.ts';
import { keyObject } from './tokens/jws.ts';
import { keys, weakly } from './tokens/keys.ts';
import { scopes } from './tokens/scopes.ts';
import { createSetup, OTHER_ALGORITHMS, type Setup } from './tokens/setup.ts';
import { ofLength, shapes } from './tokens/shapes.ts';
import { signatures } from './tokens/signatures.ts';
import { guardedJob, putItems, TokenChecker } from './tokens/token-checker.ts';

const topics = {
  algorithms,
  keys,
  signatures,
  shapes,
  headers,
  claims,
  duplicates,
  credentials,
  scopes,
};

/** What a token's signature is of, and the signature. */
function signedPart(token: string) {
  const at = token.lastIndexOf('.');
  return {
    input: Buffer.from(token.slice(0, at)),
    signature: Buffer.from(token.slice(at + 1), 'base64url'),
  };
}

describe('the functions', () => {
  const service = useService();
  const checker = new TokenChecker(service.log);
  let setup: Setup;
  beforeAll(async () => {
    setup = await createSetup(service.issuer);
    // The keys are fetched when the functions start.
    Object.assign(service, await loadFunctions(service));
    await putItems(service.table, 'default');
  });
  afterAll(async () => {
    await setup.attacker.stop();
    printCounts('forged and unusual tokens', checker.counts);
  });

  describe.each(Object.entries(topics))('given a token that (%s)', (_, rows) => {
    it.each(rows)('$name: $expected', (row) => checker.check(row, setup, service));
  });

  it('refuse other algorithms, which a verifier that pins none accepts', async () => {
    const known = createLocalJWKSet({ keys: service.issuer.published as JWK[] });
    // jose knows no secp256k1.
    for (const alg of OTHER_ALGORITHMS.filter((name) => name !== 'ES256K')) {
      const { protectedHeader } = await jwtVerify(ofOtherAlgorithm(setup, alg), known);
      expect(protectedHeader.alg).toBe(alg);
    }
  });

  it('refuse claims that are not encoded, which a verifier that honours b64 accepts', async () => {
    const token = unencoded(setup, { crit: ['b64'], b64: false });
    const { payload } = await compactVerify(token, keyObject(service.issuer.key.publicKey));
    const { exp: _, iat: __, ...claims } = service.issuer.claims();
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject(claims);
  });

  it('refuse a signature without the name of the hash, which a careless verifier accepts', () => {
    const { input, signature } = signedPart(hashUnnamed(setup));
    const hash = publicDecrypt(keyObject(setup.rsa.publicKey), signature);
    expect(hash).toEqual(createHash('sha256').update(input).digest());
  });

  it.each(['weak', 'padded'] as const)(
    'have no key to verify a valid signature of the %s key',
    async (kid) => {
      const { input, signature } = signedPart(weakly(setup, kid));
      expect(verify('sha256', input, createPublicKey(setup.weak), signature)).toBe(true);
      const { keys: usable } = await fetchIssuerKeys(service.issuer.url, undefined, 1000);
      expect(usable.map((key) => key.kid)).toContain(setup.rsa.kid);
      expect(usable.map((key) => key.kid)).not.toContain(kid);
    },
  );

  it('refuse 8193 bytes before they have any keys', async () => {
    const cold = await loadFunctions(service);
    const token = await ofLength(setup, 8193);
    const before = service.issuer.requests.length;
    for (const call of Object.values(cold)) expect((await call({ token })).status).toBe(401);
    expect(service.issuer.requests.length).toBe(before);
  });

  it('never send a request to the server of the attacker, which answers', async () => {
    expect(setup.attacker.requests).toEqual([]);
    expect((await fetch(`${setup.attacker.url}/jwks`)).status).toBe(200);
    expect(setup.attacker.requests).toEqual(['/jwks']);
  });

  it('change nothing for the tokens that they refuse', async () => {
    const stored = await service.table.read(jobKey('default', 'guarded'));
    expect(stored).toEqual(guardedJob('default'));
  });

  it('accept no token wrongly, and never fail', () => {
    expect(checker.counts.tokens).toBeGreaterThan(60);
    expect(checker.counts.accepted).toBeGreaterThan(60);
    expect(checker.counts['wrongly accepted']).toBe(0);
    expect(checker.counts['answered 5xx']).toBe(0);
  });
});
