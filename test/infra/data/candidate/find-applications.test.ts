import { describe, expect } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import {
  findApplications,
  type Search,
} from '../../../../infra/data/candidate/find-applications.ts';
import { apply, HOSTILE_JOBS, jobs, listing, through } from '../../../support/candidates.ts';
import { test as it } from '../../../support/fixtures.ts';
import { jobItem } from '../../../support/items.ts';
import { createTestTable } from '../../../support/table.ts';

const table = await createTestTable();

const found = async (tenant: string, id: string, search: Search = 'index', on = table) => {
  const all = await findApplications(on, { tenant, id }, search);
  return all.map(({ pk, sk }) => ({ pk, sk }));
};

const keysOf = (tenant: string, id: string, to: readonly string[]) =>
  to
    .map((job) => applicationKey(tenant, job, id))
    .toSorted((one, other) => (one.pk < other.pk ? -1 : 1));

describe.each(['index', 'scan'] as const)(
  'finding the applications of a candidate by %s',
  (search) => {
    it('returns the applications to all jobs, from many pages', async () => {
      const many = jobs(120);
      await apply(table, { id: `many-${search}` }, many, { summary: 'x'.repeat(10_000) });
      const keys = await found('default', `many-${search}`, search);
      expect(keys).toEqual(keysOf('default', `many-${search}`, many));
    });

    it.each(['#', '%', '%23', 'c-1', 'APPLICATION#c-1', 'JOB', 'é', '求人 😀', '*', "a'b"])(
      'returns the applications of %j and of nobody else, whatever the ids of the jobs are',
      async (id) => {
        const tenant = `hostile-${search}`;
        await apply(table, { tenant, id }, HOSTILE_JOBS);
        await apply(table, { tenant: `${tenant}#`, id }, HOSTILE_JOBS);
        await apply(table, { tenant, id: `${id}#` }, HOSTILE_JOBS);
        await table.put(jobItem({ tenant, job: id }));
        expect(await found(tenant, id, search)).toEqual(keysOf(tenant, id, HOSTILE_JOBS));
      },
    );
  },
);

describe('finding applications by the index', () => {
  it('sorts the applications, whatever the order of the index is', async ({ proxy }) => {
    const on = { ...table, ...through(proxy, table) };
    const keys = keysOf('default', 'c-1', jobs(3));
    proxy.expect(listing(...keys.toReversed().map((key) => ({ ...key }))));
    expect(await found('default', 'c-1', 'index', on)).toEqual(keys);
  });
});

describe('finding applications by a scan', () => {
  it('returns an application that only its user_id attributes to the candidate', async () => {
    const tenant = 'unnamed';
    const item = { sk: 'APPLICATION#c%2D1', user_id: 'c-1' };
    const pk = `TENANT#${tenant}#JOB#a%`;
    await table.put({ ...item, pk });
    await table.put({ ...item, pk: 'TENANT#another#JOB#a%' });
    await table.put({ ...item, pk: `${pk}b`, user_id: 'c-2' });
    expect(await found(tenant, 'c-1', 'scan')).toEqual([{ pk, sk: item.sk }]);
  });
});
