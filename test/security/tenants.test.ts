import { isDeepStrictEqual } from 'node:util';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Result, TestRequest } from '../support/invoke.ts';
import { applicationItem, fullApplication, jobItem } from '../support/items.ts';
import { startService } from '../support/service.ts';
import { sampled } from './random-cases.ts';

/**
 * Prefixes, encodings, case variants, look-alikes or key parts of one another. Some would share items if the service
 * joined or compared keys carelessly.
 */
const tenants = [
  'default',
  'a',
  'ab',
  'A',
  'a ',
  'a%23',
  'a#JOB#x',
  'caf\u00e9',
  'cafe\u0301',
] as const;

type Tenant = (typeof tenants)[number];

interface Target {
  job: string;
  candidate: string;
}

/** Ids that could lead a careless service from tenant `mine` to a job of `theirs`. */
const craftedJobs = (mine: string, theirs: string, { job, candidate }: Target) => [
  `${theirs}#JOB#${job}`,
  `TENANT#${theirs}#JOB#${job}`,
  `TENANT#${encodeURIComponent(theirs)}#JOB#${encodeURIComponent(job)}`,
  `${job}#JOB`,
  `${job}#APPLICATION#${candidate}`,
  `#JOB#${job}`,
  // If `mine` is `a` and `theirs` is `a#JOB#x`, this is what follows `TENANT#a#JOB#` in the key of their job.
  `${theirs.replace(`${mine}#JOB#`, '')}#JOB#${job}`,
  `../${theirs}/${job}`,
  encodeURIComponent(job),
];

const craftedCandidates = (theirs: string, { job, candidate }: Target) => [
  'JOB',
  'APPLICATION',
  `APPLICATION#${candidate}`,
  `APPLICATION%23${encodeURIComponent(candidate)}`,
  `TENANT#${theirs}#JOB#${job}#APPLICATION#${candidate}`,
  encodeURIComponent(candidate),
];

const JSON_BODY = { 'content-type': 'application/json' };
const MISSING = { job: 'missing-job', candidate: 'missing' };
/** All tenants have items of their own with these ids. */
const SHARED = { job: 'shared', candidate: 'shared' };

/** Attempted on another tenant's job. The responses must be the same as for a job that does not exist. */
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

const targetOf = (tenant: Tenant): Target => {
  const at = tenants.indexOf(tenant);
  return { job: `Job-é-${at}`, candidate: `Cand-é-${at}` };
};
const pairs = tenants.flatMap((mine) =>
  tenants.filter((theirs) => theirs !== mine).map((theirs) => ({ mine, theirs })),
);
const seen = ({ status, headers, text }: Result) => ({ status, headers, text });

// Response times are not compared: whether the job is another tenant's or missing, the function sends one DynamoDB
// request, for a key that begins with the caller's own tenant.
describe('the items of a tenant', async () => {
  const service = await startService({ TENANT_CLAIM: 'tenant' });
  const tokens = new Map<Tenant, string>();
  for (const tenant of tenants) {
    tokens.set(tenant, await service.issuer.mint({ tenant }));
    for (const { job, candidate } of [targetOf(tenant), SHARED]) {
      await service.table.put(jobItem({ tenant, job }, { title: tenant }));
      const members = { ...fullApplication, user_id: candidate, name: tenant };
      await service.table.put(applicationItem({ tenant, job, candidate }, members));
    }
  }

  const read = (caller: Tenant, { job, candidate }: Target, request: TestRequest = {}) =>
    service.getApplication({
      token: tokens.get(caller),
      pathParameters: { id: job, candidate_id: candidate },
      ...request,
    });
  const change = (caller: Tenant, { job }: { job: string }, request: TestRequest) =>
    service.updateJobStatus({
      token: tokens.get(caller),
      pathParameters: { id: job },
      ...request,
    });
  const nothing = await read('a', MISSING);
  const refusals = await Promise.all(changes.map((wanted) => change('a', MISSING, wanted)));

  async function allItems() {
    const { client, name } = service.table;
    const found = new Map<string, unknown>();
    for await (const { Items = [] } of paginateScan({ client }, { TableName: name })) {
      for (const item of Items) found.set(`${item.pk} ${item.sk}`, item);
    }
    return found;
  }
  async function expectNothing(caller: Tenant, target: Target, nth = 0, named: TestRequest = {}) {
    expect(seen(await read(caller, target, named))).toEqual(seen(nothing));
    const wanted = changes[nth % changes.length] ?? {};
    const refused = await change(caller, target, { ...named, ...wanted });
    expect(seen(refused)).toEqual(seen(refusals[nth % changes.length] ?? nothing));
  }

  it('can be read and changed by that tenant', async () => {
    for (const tenant of tenants) {
      for (const target of [targetOf(tenant), SHARED]) {
        expect((await read(tenant, target)).body.name).toBe(tenant);
        expect((await change(tenant, target, { body: { status: 'draft' } })).status).toBe(200);
      }
    }
  });

  it('do not exist for any other tenant, whatever the ids', async () => {
    expect([nothing, ...refusals].map(({ status }) => status)).toEqual([
      ...Array(6).fill(404),
      ...[400, 400, 413, 415],
    ]);
    const before = await allItems();
    const attacks = pairs.flatMap(({ mine, theirs }) => {
      const target = targetOf(theirs);
      const jobs = [target.job, ...craftedJobs(mine, theirs, target)];
      return [
        ...jobs.map((job) => ({ mine, target: { ...target, job } })),
        ...craftedCandidates(theirs, target).map((candidate) => ({
          mine,
          target: { job: target.job, candidate },
        })),
      ];
    });
    for (const [nth, { mine, target }] of sampled(attacks).entries()) {
      await expectNothing(mine, target, nth);
    }
    for (const { mine, theirs } of pairs) await expectNothing(mine, targetOf(theirs));
    for (const nth of changes.keys()) await expectNothing('a', targetOf('ab'), nth);
    expect(await allItems()).toEqual(before);
  });

  it('do not exist for a request that names the tenant anywhere but in the token', async () => {
    for (const { theirs } of pairs.filter(({ mine }) => mine === 'a')) {
      const named = encodeURIComponent(theirs);
      const headers = {
        ...JSON_BODY,
        tenant: named,
        'x-tenant-id': named,
        'x-amzn-oidc-data': Buffer.from(JSON.stringify({ tenant: theirs })).toString('base64url'),
      };
      const query = `tenant=${named}&tenant_id=${named}`;
      const cookies = [`tenant=${named}`];
      await expectNothing('a', targetOf(theirs), 0, { headers, query, cookies });
    }
  });

  it('are separate from other tenants’ items with the same id, and a change affects only one tenant', async () => {
    for (const tenant of tenants) {
      const before = await allItems();
      const body = { status: 'paused' };
      const headers = { ...JSON_BODY, 'if-match': '"1"' };
      expect((await change(tenant, SHARED, { body, headers })).status).toBe(200);
      const changed = [...(await allItems())].filter(
        ([key, item]) => !isDeepStrictEqual(item, before.get(key)),
      );
      expect(changed).toMatchObject([[expect.any(String), { title: tenant, status: 'paused' }]]);
    }
  });
});
