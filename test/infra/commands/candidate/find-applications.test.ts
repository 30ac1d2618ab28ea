import { beforeAll, describe, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import {
  findApplications,
  type Search,
} from '../../../../infra/commands/candidate/find-applications.ts';
import { apply, HOSTILE_JOBS, jobs, listing, through } from '../../../support/candidates.ts';
import { jobItem } from '../../../support/items.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

let table: TestTable;
beforeAll(async () => {
  table = await createTestTable();
});

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
    it('gives those to all jobs, over many pages', async () => {
      const many = jobs(120);
      await apply(table, { id: `many-${search}` }, many, { summary: 'x'.repeat(10_000) });
      const keys = await found('default', `many-${search}`, search);
      expect(keys).toEqual(keysOf('default', `many-${search}`, many));
    });

    it.each(['#', '%', '%23', 'c-1', 'APPLICATION#c-1', 'JOB', 'é', '求人 😀', '*', "a'b"])(
      'gives those of %j and of nobody else, whatever the jobs are called',
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

describe('finding applications by an index', () => {
  it('gives them in one order, whatever that of the index', async () => {
    const proxy = await FaultyProxy.start();
    const on = { ...table, ...through(proxy, table) };
    const keys = keysOf('default', 'c-1', jobs(3));
    proxy.expect(listing(...keys.toReversed().map((key) => ({ ...key }))));
    expect(await found('default', 'c-1', 'index', on)).toEqual(keys);
    await proxy.stop();
  });
});
