import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobKey } from '../../functions/store/keys.ts';
import { type Functions, loadFunctions, useService } from '../support/service.ts';
import { printCounts } from './random-cases.ts';
import { type Kit, makeKit } from './tokens/setup.ts';
import { INHERITED, inherited, TENANT, TENANT_CLAIM, tenants } from './tokens/tenants.ts';
import { guardedJob, putItems, Trial } from './tokens/token-checker.ts';

describe('both functions, where the deployment names the claim of the tenant', () => {
  const service = useService({ TENANT_CLAIM });
  const trial = new Trial(service.log);
  let kit: Kit;
  beforeAll(async () => {
    kit = await makeKit(service.issuer);
    await putItems(service.table, TENANT);
  });
  afterAll(async () => {
    await kit.attacker.stop();
    printCounts('tokens of tenants', trial.counts);
  });

  it.each(tenants)('take a token that $name: $expected', (row) => trial.hold(row, kit, service));

  describe.each(INHERITED)('as %s', (name) => {
    let functions: Functions;
    beforeAll(async () => {
      functions = await loadFunctions(service, { TENANT_CLAIM: name });
    });

    it.each(inherited(name))('take a token that $name: $expected', (row) =>
      trial.hold(row, kit, functions),
    );
  });

  it('have changed nothing for the tokens that they refused', async () => {
    const stored = await service.table.read(jobKey(TENANT, 'guarded'));
    expect(stored).toEqual(guardedJob(TENANT));
  });
});
