import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useGatewayService, type WireAnswer } from '../support/gateway-service.ts';
import { printCounts, scaled } from './random-cases.ts';
import {
  craftedIds,
  everyByteEncoded,
  ownTargets,
  type Target,
  type Tenant,
  tenants,
} from './tenants/crafted-ids.ts';
import { allItems, changedItems, markOf, pairs, putTenantItems } from './tenants/tenant-items.ts';

const MISSING = { job: 'missing-job', candidate: 'missing' };

/** How a client may write an id in a path. */
const spellings: readonly ((id: string) => string)[] = [
  encodeURIComponent,
  everyByteEncoded,
  // Delimiters as they are, as far as HTTP takes them.
  (id) => encodeURIComponent(id).replace(/%(2[36CF]|3[ABD]|40)/g, decodeURIComponent),
  (id) => encodeURIComponent(encodeURIComponent(id)),
  (id) => encodeURIComponent(id).replaceAll('%20', '+'),
];

/** Whether a gateway, which decodes a path before it routes, sees more segments than two ids. */
const isSplit = ({ job, candidate }: Target) => decodeURIComponent(job + candidate).includes('/');

/** An answer as a client sees it, but for the request's own id, which has always the same length. */
function seen({ status, headers, text }: WireAnswer): string {
  const { date: _, 'apigw-requestid': gatewayId = '', ...others } = headers;
  const own = JSON.stringify([status, Object.keys(headers), others, text]);
  return own.replaceAll(String(gatewayId), '<request id>');
}

describe('the items of a tenant, over HTTP', () => {
  const service = useGatewayService({ tenantClaim: 'tenant' });
  const tokens = new Map<Tenant, string>();
  const counts = {
    requests: 0,
    'of them 404': 0,
    'of them without a route': 0,
    leaks: 0,
    differences: 0,
    changes: 0,
  };

  beforeAll(async () => {
    await putTenantItems(service.table);
    for (const tenant of tenants) tokens.set(tenant, await service.issuer.mint({ tenant }));
  });
  afterAll(() => printCounts('tenants, over HTTP', counts));

  const read = (caller: Tenant, { job, candidate }: Target, query = '', headers = {}) =>
    service.send({
      method: 'GET',
      path: `/v1/jobs/${job}/applications/${candidate}${query}`,
      headers: { authorization: `Bearer ${tokens.get(caller)}`, ...headers },
    });
  const change = (caller: Tenant, job: string, body = '{"status":"closed"}', headers = {}) =>
    service.send({
      method: 'PATCH',
      path: `/v1/jobs/${job}/status`,
      headers: {
        authorization: `Bearer ${tokens.get(caller)}`,
        'content-type': 'application/json',
        ...headers,
      },
      body,
    });
  function compare(caller: Tenant, answer: WireAnswer, expected: WireAnswer): void {
    counts.requests += 1;
    if (answer.status === 404) counts['of them 404'] += 1;
    const all = answer.text + JSON.stringify(answer.headers);
    if (tenants.some((tenant) => tenant !== caller && all.includes(markOf(tenant)))) {
      counts.leaks += 1;
    }
    if (seen(answer) !== seen(expected)) counts.differences += 1;
  }

  it('are read by that tenant, however the path is encoded', async () => {
    for (const tenant of tenants) {
      const [{ job, candidate } = MISSING] = ownTargets(tenant);
      for (const spell of spellings.slice(0, 3)) {
        const answer = await read(tenant, { job: spell(job), candidate: spell(candidate) });
        expect(JSON.parse(answer.text).name).toBe(`Ana ${markOf(tenant)}`);
      }
    }
  });

  it('do not exist for any other tenant, however the path is encoded', async () => {
    const before = await allItems(service.table);
    const noApplication = await read('a', MISSING);
    const noJob = await change('a', MISSING.job);
    const noRoute = await read('a', { job: 'missing', candidate: 's/job' });
    expect(noRoute.text).toBe('{"message":"Not Found"}');
    expect(noApplication.text).toContain('application_not_found');
    expect(noJob.text).toContain('job_not_found');
    await Promise.all(
      pairs.map(async ({ mine, theirs }, nth) => {
        const [target = MISSING] = ownTargets(theirs);
        const crafted = Object.entries(craftedIds(mine, theirs, target));
        for (const [at, [name, { job, candidate }]] of crafted.entries()) {
          // One of eight, others for each pair, and all between kindred names; the soak sends all.
          const isSent = scaled(8) > 8 || theirs.startsWith(mine) || (nth + at) % 8 === 0;
          if (!isSent) continue;
          const spell = spellings[(nth + at) % spellings.length] ?? encodeURIComponent;
          const path = { job: spell(job), candidate: spell(candidate) };
          const isRouted = !isSplit(path);
          if (!isRouted) counts['of them without a route'] += 1;
          compare(mine, await read(mine, path), isRouted ? noApplication : noRoute);
          if (!name.startsWith('job ')) continue;
          compare(mine, await change(mine, path.job), isRouted ? noJob : noRoute);
        }
      }),
    );
    counts.changes = changedItems(before, await allItems(service.table)).length;
    expect(counts).toMatchObject({ leaks: 0, differences: 0, changes: 0 });
    expect(counts['of them 404']).toBe(counts.requests);
    // Such ids reach the functions by invocation alone.
    expect(counts['of them without a route']).toBeGreaterThan(50);
    expect(service.reports).toEqual([]);
  });

  it('are the token’s tenant’s, whatever tenant the request names elsewhere', async () => {
    const before = await allItems(service.table);
    const noApplication = await read('a', MISSING);
    const noJob = await change('a', MISSING.job);
    for (const { theirs } of pairs.filter(({ mine }) => mine === 'a')) {
      const [{ job, candidate } = MISSING] = ownTargets(theirs);
      const named = encodeURIComponent(theirs);
      const path = { job: encodeURIComponent(job), candidate: encodeURIComponent(candidate) };
      const headers = {
        tenant: named,
        'x-tenant': named,
        'x-tenant-id': named,
        cookie: `tenant=${named}`,
        'x-amzn-oidc-data': Buffer.from(JSON.stringify({ tenant: theirs })).toString('base64url'),
      };
      compare(
        'a',
        await read('a', path, `?tenant=${named}&tenant_id=${named}`, headers),
        noApplication,
      );
      compare('a', await change('a', path.job, '{"status":"closed"}', headers), noJob);
      const refused = await change(
        'a',
        path.job,
        JSON.stringify({ status: 'closed', tenant: theirs }),
      );
      expect(refused.status).toBe(400);
    }
    expect(changedItems(before, await allItems(service.table))).toEqual([]);
    expect(counts).toMatchObject({ leaks: 0, differences: 0 });
  });
});
