import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, TestRequest } from '../support/invoke.ts';
import { useService } from '../support/service.ts';
import { printCounts } from './random-cases.ts';
import { craftedIds, ownTargets, SHARED, type Tenant, tenants } from './tenants/crafted-ids.ts';
import { allItems, changedItems, markOf, pairs, putTenantItems } from './tenants/tenant-items.ts';

const JSON_BODY = { 'content-type': 'application/json' };
/** Ids that no tenant uses. */
const MISSING = { job: 'missing-job', candidate: 'missing' };

/** Changes of another tenant's job; each is answered as for a job that does not exist. */
const changes: readonly TestRequest[] = [
  { body: { status: 'closed' } },
  { body: { status: 'draft' } },
  { body: { status: 'closed' }, headers: { ...JSON_BODY, 'if-match': '"1"' } },
  { body: { status: 'closed' }, headers: { ...JSON_BODY, 'if-match': '"2"' } },
  { body: { status: 'closed' }, headers: { ...JSON_BODY, 'if-match': '*' } },
  { body: { status: 'open' } },
  { body: '{"status":' },
  { body: ' '.repeat(1025) },
  { body: { status: 'closed' }, headers: { 'content-type': 'text/plain' } },
];

/** All that a client sees of an answer. */
const seen = ({ status, headers, text }: Answer) => JSON.stringify([status, headers, text]);

// Whether refusals also take the same time is not asked here: both are one request to DynamoDB for a
// key that begins with the caller's own tenant, which no item of another has.
describe('the items of a tenant', () => {
  const service = useService({ TENANT_CLAIM: 'tenant' });
  const tokens = new Map<Tenant, string>();
  const counts = { pairs: pairs.length, requests: 0, leaks: 0, differences: 0, changes: 0 };
  beforeAll(async () => {
    await putTenantItems(service.table);
    for (const tenant of tenants) tokens.set(tenant, await service.issuer.mint({ tenant }));
  });
  afterAll(() => printCounts('tenants, by invocation', counts));

  const read = (caller: Tenant, { job, candidate } = MISSING) =>
    service.getApplication({
      token: tokens.get(caller),
      pathParameters: { id: job, candidate_id: candidate },
    });
  const change = (caller: Tenant, { job }: { job: string }, request: TestRequest) =>
    service.updateJobStatus({
      token: tokens.get(caller),
      pathParameters: { id: job },
      ...request,
    });
  /** Counts an answer to `caller`, and what of it tells of others. */
  function compare(caller: Tenant, answer: Answer, expected: Answer): void {
    const text = seen(answer);
    counts.requests += 1;
    if (tenants.some((tenant) => tenant !== caller && text.includes(markOf(tenant)))) {
      counts.leaks += 1;
    }
    if (text !== seen(expected)) counts.differences += 1;
  }

  it('are read and changed by that tenant', async () => {
    for (const tenant of tenants) {
      for (const target of [...ownTargets(tenant), { job: SHARED, candidate: SHARED }]) {
        expect((await read(tenant, target)).body.name).toBe(`Ana ${markOf(tenant)}`);
        const changed = await change(tenant, target, { body: { status: 'draft' } });
        expect(changed.status).toBe(200);
      }
    }
  });

  it('do not exist for any other tenant, whatever the ids', async () => {
    const before = await allItems(service.table);
    const nothing = await read('a');
    const refusals = await Promise.all(changes.map((wanted) => change('a', MISSING, wanted)));
    expect([nothing, ...refusals].map(({ status }) => status)).toEqual([
      ...Array(6).fill(404),
      ...[400, 400, 413, 415],
    ]);
    await Promise.all(
      pairs.map(async ({ mine, theirs }) => {
        const [target = MISSING] = ownTargets(theirs);
        const targets = Object.entries(craftedIds(mine, theirs, target));
        for (const [at, [name, crafted]] of targets.entries()) {
          compare(mine, await read(mine, crafted), nothing);
          if (!name.startsWith('job ')) continue;
          const nth = at % changes.length;
          const wanted = changes[nth] as TestRequest;
          compare(mine, await change(mine, crafted, wanted), refusals[nth] as Answer);
        }
      }),
    );
    for (const [at, theirs] of tenants.entries()) {
      const mine = tenants.at(at - 1) ?? theirs;
      const [target = MISSING] = ownTargets(theirs);
      for (const [nth, wanted] of changes.entries()) {
        compare(mine, await change(mine, target, wanted), refusals[nth] as Answer);
      }
    }
    const after = await allItems(service.table);
    counts.changes = changedItems(before, after).length;
    expect(after).toEqual(before);
    expect(counts).toMatchObject({ leaks: 0, differences: 0, changes: 0 });
    expect(counts.requests).toBeGreaterThan(pairs.length * 55);
  });

  it('are not found under another job of the same tenant, nor in another shape of their ids', async () => {
    const nothing = await read('a');
    for (const tenant of tenants) {
      const [one = MISSING, other = MISSING] = ownTargets(tenant);
      const mixed = [
        { job: one.job, candidate: other.candidate },
        { job: other.job, candidate: one.candidate },
        { job: SHARED, candidate: one.candidate },
        { job: one.candidate, candidate: one.job },
      ];
      const { 'job plain': _, ...crafted } = craftedIds(tenant, tenant, one);
      for (const target of [...mixed, ...Object.values(crafted)]) {
        compare(tenant, await read(tenant, target), nothing);
      }
    }
    expect(counts).toMatchObject({ leaks: 0, differences: 0 });
  });

  it('are another’s under an id that all tenants have, and a change is of one alone', async () => {
    for (const tenant of tenants) {
      const before = await allItems(service.table);
      const { status } = await change(
        tenant,
        { job: SHARED },
        { body: { status: 'paused' }, headers: { ...JSON_BODY, 'if-match': '"1"' } },
      );
      expect(status).toBe(200);
      const changed = changedItems(before, await allItems(service.table));
      expect(changed).toMatchObject([{ title: markOf(tenant), status: 'paused' }]);
    }
  });
});
