import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationKey, candidateKey, type Key } from '../../../../functions/store/keys.ts';
import {
  type EraseOptions,
  eraseCandidate,
} from '../../../../infra/commands/candidate/erase-candidate.ts';
import { apply, jobs, leftIn, listing, through } from '../../../support/candidates.ts';
import type { Fault } from '../../../support/faults.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const limits = { pauseMs: 0, idleSearches: 5, lateWriteMs: 0 };

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

async function erase(options: Partial<EraseOptions> = {}) {
  const jobs: string[] = [];
  const erased = await eraseCandidate({
    table,
    candidate,
    search: 'index',
    onRecorded: async () => undefined,
    beforeErasure: async () => undefined,
    onRemoved: async ({ pk }) => void jobs.push(pk.replace('TENANT#default#JOB#', '')),
    onLeft: async () => undefined,
    limits,
    ...options,
  });
  return { ...erased, jobs: jobs.toSorted() };
}

describe('the record of an erasure', () => {
  it('has the files that another writer adds before the removal, and those that it replaces', async () => {
    const applyWith = (key: string) =>
      apply(table, candidate, ['4007'], { resume_url: `s3://files/${key}` });
    await applyWith('old.pdf');
    const recorded: string[] = [];
    const beforeErasure = async (_key: Key, files: readonly string[]) => {
      recorded.push(...files);
      if (recorded.length === 1) await applyWith('new.pdf');
    };
    expect((await erase({ beforeErasure })).jobs).toEqual(['4007']);
    expect(recorded).toEqual(['s3://files/old.pdf', 's3://files/new.pdf']);
  });
});

describe('erasing a candidate while another writes', () => {
  it('continues as long as it erases something', async () => {
    await apply(table, candidate, jobs(1));
    let rewrites = limits.idleSearches + 2;
    const onRemoved = async () => {
      rewrites -= 1;
      if (rewrites >= 0) await apply(table, candidate, jobs(1));
    };
    expect(await erase({ onRemoved })).toMatchObject({ removed: limits.idleSearches + 3 });
    expect(await leftIn(table)).toEqual([]);
  });
});

describe('erasing a candidate by an index that lags', () => {
  let proxy: FaultyProxy;
  beforeAll(async () => {
    proxy = await FaultyProxy.start();
  });
  afterAll(() => proxy.stop());
  const key = applicationKey('default', 'j-0', 'c-1');
  const stale = listing({ ...key, ...candidateKey('default', 'c-1') });

  function eraseThrough(responsesOfIndex: Fault[]) {
    proxy.expect('none');
    proxy.faultsFor.set('by-candidate', responsesOfIndex);
    return erase({ table: through(proxy, table) });
  }

  it('finds what the first search does not', async () => {
    await apply(table, candidate, jobs(2));
    expect(await eraseThrough([listing(), 'none'])).toMatchObject({ removed: 2 });
    expect(await leftIn(table)).toEqual([]);
  });

  it('counts nothing twice that is still listed, and waits until it is not', async () => {
    await apply(table, candidate, jobs(1));
    expect(await eraseThrough([stale, stale, stale, 'none'])).toMatchObject({ removed: 1 });
    // Three searches that find it, and two that do not.
    const searches = proxy.requests.filter(({ operation }) => operation === 'Query');
    expect(searches).toHaveLength(5);
  });

  it('gives up if something stays listed', async () => {
    await expect(eraseThrough([stale])).rejects.toThrow(
      '1 application can be found but not erased',
    );
    const searches = proxy.requests.filter(({ operation }) => operation === 'Query');
    expect(searches).toHaveLength(1 + limits.idleSearches);
  });
});
