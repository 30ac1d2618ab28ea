import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { printCounts } from '../../security/random-cases.ts';
import { type Functions, loadFunctions, useService } from '../../support/service.ts';
import { createSetup, type Setup } from './tokens/setup.ts';
import { INHERITED, inherited, TENANT, TENANT_CLAIM, tenants } from './tokens/tenants.ts';
import { guardedJob, putItems, TokenChecker } from './tokens/token-checker.ts';

describe('the functions, if the deployment names the claim of the tenant', () => {
  const service = useService({ TENANT_CLAIM });
  const checker = new TokenChecker(service.log);
  let setup: Setup;
  beforeAll(async () => {
    setup = await createSetup(service.issuer);
    await putItems(service.table, TENANT);
  });
  afterAll(async () => {
    await setup.attacker.stop();
    printCounts('tokens of tenants', checker.counts);
  });

  it.each(tenants)('given a token that $name: $expected', (row) =>
    checker.check(row, setup, service),
  );

  describe.each(INHERITED)('if that claim is %s', (name) => {
    let functions: Functions;
    beforeAll(async () => {
      functions = await loadFunctions(service, { TENANT_CLAIM: name });
    });

    it.each(inherited(name))('given a token that $name: $expected', (row) =>
      checker.check(row, setup, functions),
    );
  });

  it('change nothing for the tokens that they refuse', async () => {
    const stored = await service.table.read(jobKey(TENANT, 'guarded'));
    expect(stored).toEqual(guardedJob(TENANT));
  });
});
