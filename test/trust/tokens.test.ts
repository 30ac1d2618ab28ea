import { createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobKey } from '../../functions/store/keys.ts';
import { printCounts } from '../support/campaign.ts';
import { useService } from '../support/service.ts';
import { algorithms, ofOtherAlgorithm } from './tokens/algorithms.ts';
import { claims } from './tokens/claims.ts';
import { credentials } from './tokens/credentials.ts';
import { duplicates } from './tokens/duplicates.ts';
import { headers } from './tokens/headers.ts';
import { keys } from './tokens/keys.ts';
import { type Kit, makeKit, OTHER_ALGORITHMS } from './tokens/kit.ts';
import { scopes } from './tokens/scopes.ts';
import { shapes } from './tokens/shapes.ts';
import { signatures } from './tokens/signatures.ts';
import { guardedJob, putItems, Trial } from './tokens/trial.ts';

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

describe('both functions', () => {
  const service = useService();
  const trial = new Trial(service.log);
  let kit: Kit;
  beforeAll(async () => {
    kit = await makeKit(service.issuer);
    await putItems(service.table, 'default');
  });
  afterAll(async () => {
    await kit.attacker.stop();
    printCounts('forged and unusual tokens', trial.counts);
  });

  describe.each(Object.entries(topics))('in the matter of %s, take a token that', (_, rows) => {
    it.each(rows)('$name: $expected', (row) => trial.hold(row, kit, service));
  });

  it('refuse other algorithms that a verifier which pins none accepts', async () => {
    const known = createLocalJWKSet({ keys: service.issuer.published as JWK[] });
    // jose knows no secp256k1.
    for (const alg of OTHER_ALGORITHMS.filter((name) => name !== 'ES256K')) {
      const { protectedHeader } = await jwtVerify(ofOtherAlgorithm(kit, alg), known);
      expect(protectedHeader.alg).toBe(alg);
    }
  });

  it('have never asked the server of the forgers, which answers', async () => {
    expect(kit.attacker.requests).toEqual([]);
    expect((await fetch(`${kit.attacker.url}/jwks`)).status).toBe(200);
    expect(kit.attacker.requests).toEqual(['/jwks']);
  });

  it('have changed nothing for the tokens that they refused', async () => {
    const stored = await service.table.read(jobKey('default', 'guarded'));
    expect(stored).toEqual(guardedJob('default'));
  });

  it('have accepted no token wrongly, and have never failed', () => {
    expect(trial.counts.tokens).toBeGreaterThan(60);
    expect(trial.counts.accepted).toBeGreaterThan(60);
    expect(trial.counts['wrongly accepted']).toBe(0);
    expect(trial.counts['answered 5xx']).toBe(0);
  });
});
