import { beforeAll, describe, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import {
  findApplications,
  type Search,
} from '../../../../infra/commands/candidate/find-applications.ts';
import { apply, HOSTILE_JOBS, jobs, listing, through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { applicationItem, fullApplication, jobItem } from '../../../support/items.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import {
  createTableWithoutIndex,
  createTestTable,
  type TestTable,
} from '../../../support/table.ts';

let table: TestTable;
beforeAll(async () => {
  table = await createTestTable();
});

const found = async (tenant: string, id: string, search: Search = 'index', on = table) => {
  const all = await findApplications(on, { tenant, id }, search);
  return all.map(({ isIndexed: _, ...key }) => key);
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

    it('gives nothing of a candidate without applications', async () => {
      expect(await found('default', 'nobody', search)).toEqual([]);
    });
  },
);

describe('finding applications without the attribute of the index', () => {
  it('takes a scan', async () => {
    const { candidate_pk: _, ...item } = applicationItem({ tenant: 'old' }, fullApplication);
    await table.put(item);
    expect(await found('old', 'c-1')).toEqual([]);
    expect(await found('old', 'c-1', 'scan')).toEqual(keysOf('old', 'c-1', ['j-1']));
  });

  it('is what the error suggests if the table has no index', async () => {
    const name = await createTableWithoutIndex();
    await expect(found('default', 'c-1', 'index', { ...table, name })).rejects.toThrow('--scan');
    expect(await found('default', 'c-1', 'scan', { ...table, name })).toEqual([]);
  });
});

describe('finding applications by an index', () => {
  it('that is still being built is an error of its own, and other errors are passed on', async () => {
    const proxy = await FaultyProxy.start();
    const on = { ...table, ...through(proxy, table) };
    const message = 'Cannot read from backfilling global secondary index: by-candidate';
    const body = JSON.stringify({ __type: 'x#ValidationException', message });
    proxy.expect({ status: 400, body });
    await expect(found('default', 'c-1', 'index', on)).rejects.toThrow('--scan');
    proxy.expect(dynamoError(400, 'ValidationException'));
    await expect(found('default', 'c-1', 'index', on)).rejects.toThrow('Invented.');
    const keys = keysOf('default', 'c-1', jobs(3));
    proxy.expect(listing(...keys.toReversed().map((key) => ({ ...key }))));
    expect(await found('default', 'c-1', 'index', on)).toEqual(keys);
    proxy.expect(listing());
    expect(await found('default', 'c-1', 'index', on)).toEqual([]);
    await proxy.stop();
  });
});
