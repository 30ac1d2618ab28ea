import { describe, expect } from 'vitest';
import { applicationKey, candidateKey, type Key } from '../../../../functions/store/keys.ts';
import {
  type EraseOptions,
  eraseCandidate,
} from '../../../../infra/operator/candidate/erase-candidate.ts';
import { apply, jobs, leftIn, listing, through } from '../../../support/candidates.ts';
import type { Fault } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const limits = { pauseMs: 0, idleSearches: 5, lateWriteMs: 0 };

async function erase(options: Pick<EraseOptions, 'table'> & Partial<EraseOptions>) {
  const removed: string[] = [];
  await eraseCandidate({
    candidate,
    search: 'index',
    onRecorded: async () => undefined,
    beforeRemoval: async () => undefined,
    onRemoved: async ({ pk }) => void removed.push(pk.replace('TENANT#default#JOB#', '')),
    onStay: async () => undefined,
    limits,
    ...options,
  });
  return removed.toSorted();
}

describe('erasing a candidate while another program writes', () => {
  test('reports the old files and the new files if the program replaces files before the removal', async ({
    table,
  }) => {
    const applyWith = (key: string) =>
      apply(table, candidate, ['4007'], { resume_url: `s3://files/${key}` });
    await applyWith('old.pdf');
    const reported: string[] = [];
    const beforeRemoval = async (_key: Key, files: readonly string[]) => {
      reported.push(...files);
      if (reported.length === 1) await applyWith('new.pdf');
    };
    expect(await erase({ table, beforeRemoval })).toEqual(['4007']);
    expect(reported).toEqual(['s3://files/old.pdf', 's3://files/new.pdf']);
  });

  test('continues as long as searches find something to remove', async ({ table }) => {
    await apply(table, candidate, jobs(1));
    const rewrites = limits.idleSearches + 2;
    let removed = 0;
    const onRemoved = async () => {
      removed += 1;
      if (removed <= rewrites) await apply(table, candidate, jobs(1));
    };
    await erase({ table, onRemoved });
    expect(removed).toBe(rewrites + 1);
    expect(await leftIn(table)).toEqual([]);
  });
});

describe('erasing a candidate while the index lags', () => {
  const key = applicationKey('default', 'j-0', 'c-1');
  const stale = listing({ ...key, ...candidateKey('default', 'c-1') });

  const it = test.extend('eraseWith', ({ table, proxy }) => (responsesOfIndex: Fault[]) => {
    proxy.faultsFor.set('by-candidate', responsesOfIndex);
    return erase({ table: through(proxy, table) });
  });

  it('removes applications that the first search does not find', async ({ table, eraseWith }) => {
    await apply(table, candidate, jobs(2));
    expect(await eraseWith([listing(), 'none'])).toEqual(jobs(2));
    expect(await leftIn(table)).toEqual([]);
  });

  it('reports one removal of an application that the index lists longer, and waits until the list is empty', async ({
    table,
    proxy,
    eraseWith,
  }) => {
    await apply(table, candidate, jobs(1));
    expect(await eraseWith([stale, stale, stale, 'none'])).toEqual(jobs(1));
    // The first three searches find the application; the last two find nothing.
    const searches = proxy.requests.filter(({ operation }) => operation === 'Query');
    expect(searches).toHaveLength(5);
  });

  it('fails if the index never stops listing a removed application', async ({
    proxy,
    eraseWith,
  }) => {
    await expect(eraseWith([stale])).rejects.toThrow('1 application can be found but not erased');
    const searches = proxy.requests.filter(({ operation }) => operation === 'Query');
    expect(searches).toHaveLength(1 + limits.idleSearches);
  });
});
