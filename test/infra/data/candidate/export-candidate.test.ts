import { describe, expect } from 'vitest';
import { applicationKey, candidateKey } from '../../../../functions/store/keys.ts';
import { readDocument } from '../../../../infra/data/candidate/export-candidate.ts';
import type { Table } from '../../../../infra/data/records/table.ts';
import { apply, listing, through } from '../../../support/candidates.ts';
import { test as it } from '../../../support/fixtures.ts';
import { applicationItem, fullApplication, leastApplication } from '../../../support/items.ts';

const candidate = { tenant: 'default', id: 'c-1' };

const exported = async (on: Table) => (await readDocument(on, candidate, 'index')).document;

describe('the export of a candidate', () => {
  it('has every field of an application in the order of the contract, and then all other attributes', async ({
    table,
  }) => {
    const others = { expires_at: 1, nickname: 'Aninha' };
    // A copy has values as they are stored, even one that breaks its rule.
    const stored = { ...fullApplication, phone: 'call me', ...others };
    await table.put(applicationItem({ job: 'gh:4007' }, stored));
    const { applications } = await exported(table);
    expect(applications).toEqual([{ job_id: 'gh:4007', ...stored }]);
    const names = ['job_id', ...Object.keys(fullApplication)];
    expect(Object.keys(applications[0] ?? {}).slice(0, names.length)).toEqual(names);
  });

  it('has null or an empty list for a field that is not stored', async ({ table }) => {
    await table.put(applicationItem({}, { ...leastApplication, phone: null, education: null }));
    const { applications } = await exported(table);
    const absent = Object.entries(fullApplication).map(([name, value]) => [
      name,
      Array.isArray(value) ? [] : null,
    ]);
    const application = { job_id: 'j-1', ...Object.fromEntries(absent), ...leastApplication };
    expect(applications).toEqual([application]);
  });

  it('reads consistently, and leaves out an application that only the index has', async ({
    table,
    proxy,
  }) => {
    await apply(table, candidate, ['j-1']);
    const listed = ['j-0', 'j-1'].map((job) => ({
      ...applicationKey('default', job, 'c-1'),
      ...candidateKey('default', 'c-1'),
    }));
    proxy.expect(listing(...listed), 'none');
    const { applications } = await exported(through(proxy, table));
    expect(applications).toEqual([expect.objectContaining({ job_id: 'j-1' })]);
    const reads = proxy.requests.filter(({ operation }) => operation === 'GetItem');
    expect(reads.map(({ input }) => input.ConsistentRead)).toEqual([true, true]);
  });
});
