import { describe, expect } from 'vitest';
import {
  applicationKey,
  candidateKey,
  erasureKey,
  type Key,
} from '../../../../functions/store/keys.ts';
import { candidateCommand } from '../../../../infra/data/candidate/candidate.ts';
import {
  eraseCandidate,
  type RemoveOptions,
  type SkipReason,
  searchLimits,
} from '../../../../infra/data/candidate/erase-candidate.ts';
import { recordedErasure, startErasure } from '../../../../infra/data/candidate/start-erasure.ts';
import { REVISIONS } from '../../../../infra/data/records/record-schema.ts';
import type { Table } from '../../../../infra/data/records/table.ts';
import { recordWriter } from '../../../../infra/data/writer/record-writer.ts';
import { apply, jobs, leftIn, listing, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';
import { applicationItem, leastApplication } from '../../../support/items.ts';
import { runCommand } from '../../../support/operator-command.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const key = erasureKey('default', 'c-1');
const limits = { settleMs: 0, pauseMs: 0, idleSearches: 5 };
const command = candidateCommand(limits);
const MINUTE_MS = 60_000;
const DAY_S = 86_400;

function withTime(table: Table, now: () => number): Table {
  table.client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const date = new Date(now()).toUTCString();
      Object.assign(Object(result.response).headers, { date });
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return table;
}

const it = test
  .extend('write', ({ table: { client, name } }) => {
    // A clock as far ahead as is allowed.
    const clock = () => Date.now() + MINUTE_MS;
    const writer = recordWriter({ client, table: name, tenantClaim: 'none', clock });
    return (job_id: string, revision: number) =>
      writer.putApplication({ type: 'application', job_id, ...leastApplication }, revision);
  })
  .extend(
    'erase',
    ({ table }) =>
      async (options: Partial<RemoveOptions & Parameters<typeof eraseCandidate>[0]> = {}) => {
        const skipped: [pk: string, reason: SkipReason][] = [];
        const removed: string[] = [];
        const { onRemoved, ...others } = options;
        await eraseCandidate({
          table,
          candidate,
          search: 'index',
          onRecorded: async () => undefined,
          beforeRemoval: async () => undefined,
          onRemoved: async (key) => {
            removed.push(key.pk.replace('TENANT#default#JOB#', ''));
            await onRemoved?.(key);
          },
          onSkipped: async ({ pk }: Key, reason) => void skipped.push([pk, reason]),
          limits,
          ...others,
        });
        return { removed: removed.toSorted(), skipped };
      },
  )
  .extend('run', ({ table }) => (action: string, ...options: string[]) => {
    const whose = ['--tenant', 'default', '--id', 'c-1', '--table', table.name];
    return runCommand(command, [action, ...whose, ...options]);
  });

describe('recording an erasure', () => {
  it("takes the end of DynamoDB's second and a minute, and comes before the search", async ({
    table,
    proxy,
    erase,
  }) => {
    await apply(table, candidate, ['4007']);
    const now = Date.UTC(2031, 0) + 1000;
    // The `Date` header has whole seconds, here 999 ms less, so the erasure adds a second.
    await erase({ table: withTime(through(proxy, table), () => now - 1) });
    const operations = proxy.requests.map(({ operation }) => operation);
    expect(operations.slice(0, 3)).toEqual(['GetItem', 'TransactWriteItems', 'Query']);
    const revision = now + MINUTE_MS;
    const stored = { ...key, revision, expires_at: now / 1000 + 30 * DAY_S };
    expect(await storedIn(table)).toEqual([stored]);
  });

  // The last of these would keep the candidate out for a hundred years.
  it.for(['yesterday', null, { at: 1 }, REVISIONS.maximum + 1, Date.UTC(2126, 0)])(
    'replaces a stored value that is not a revision of a clock that may be right: %j',
    async (revision, { table }) => {
      await table.put({ ...key, revision, name: 'Ana Example' });
      const erased = await startErasure(table, candidate);
      expect(erased).toBeLessThan(Date.now() + 2 * MINUTE_MS);
      expect(await recordedErasure(table, candidate)).toEqual({ candidate, revision: erased });
      expect(await table.read(key)).toEqual({
        ...key,
        revision: erased,
        expires_at: expect.any(Number),
      });
    },
  );
});

describe.each(['index', 'scan'] as const)('an erasure by %s', (search) => {
  const aheadItem = applicationItem({ job: 'j-9' });

  it('leaves, and names once, an application that was made after it', async ({
    table,
    proxy,
    erase,
  }) => {
    await apply(table, candidate, jobs(1));
    let now = Math.floor(Date.now() / 1000) * 1000 - 10 * MINUTE_MS;
    const onRecorded = async (revision: number) => {
      // The header `Date` has whole seconds, so j-9 may be up to 999 ms later.
      now = revision + 1000;
      await apply(table, candidate, ['j-8'], { revision });
      await apply(table, candidate, ['j-9'], { revision: now + 999 });
    };
    const timed = withTime(through(proxy, table), () => now);
    const { removed, skipped } = await erase({ search, onRecorded, table: timed });
    expect(removed).toEqual(['j-0', 'j-8']);
    expect(skipped).toEqual([['TENANT#default#JOB#j-9', 'newer']]);
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('is not raised over an application that it has named as staying', async ({
    table,
    proxy,
    erase,
  }) => {
    let now = Math.floor(Date.now() / 1000) * 1000 - 10 * MINUTE_MS;
    const revisions: number[] = [];
    const onRecorded = async (revision: number) => {
      revisions.push(revision);
      now = revision + 2000;
      await apply(table, candidate, ['j-8'], { revision: revision + 1000 });
      await table.put({ ...aheadItem, revision: now + MINUTE_MS });
    };
    const timed = withTime(through(proxy, table), () => now);
    const { removed, skipped } = await erase({ search, onRecorded, table: timed });
    expect([removed, skipped]).toEqual([['j-9'], [['TENANT#default#JOB#j-8', 'newer']]]);
    expect(await table.read(key)).toMatchObject({ revision: revisions[0] });
  });

  it('is not raised by an application of the far future, which it removes', async ({
    table,
    erase,
  }) => {
    await table.put({ ...aheadItem, revision: Date.UTC(2126, 0) });
    const revisions: number[] = [];
    const onRecorded = async (revision: number) => void revisions.push(revision);
    expect(await erase({ search, onRecorded })).toEqual({ removed: ['j-9'], skipped: [] });
    expect(revisions).toHaveLength(1);
    expect(revisions[0]).toBeLessThan(Date.now() + MINUTE_MS + 1000);
  });

  it('leaves an application that a newer one replaces before its removal', async ({
    table,
    proxy,
    erase,
  }) => {
    await apply(table, candidate, jobs(1));
    let now = Math.floor(Date.now() / 1000) * 1000 - 10 * MINUTE_MS;
    let newer = 0;
    const onRecorded = async (revision: number) => {
      newer = revision + 1000;
    };
    const beforeRemoval = async () => {
      now = newer + 1000;
      await apply(table, candidate, jobs(1), { revision: newer });
    };
    const timed = withTime(through(proxy, table), () => now);
    const { removed, skipped } = await erase({ search, onRecorded, beforeRemoval, table: timed });
    expect([removed, skipped]).toEqual([[], [['TENANT#default#JOB#j-0', 'newer']]]);
    expect(await leftIn(table)).toMatchObject([{ revision: newer }]);
  });

  it('removes nothing whose line in the log could not be written', async ({ table, erase }) => {
    await apply(table, candidate, jobs(1));
    const beforeRemoval = () => Promise.reject(new Error('No space left on device.'));
    await expect(erase({ search, beforeRemoval })).rejects.toThrow('No space left');
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('begins to search ten seconds after the record, when all earlier writes are visible', async ({
    table,
    erase,
  }) => {
    const pause = async (ms: number) => {
      if (ms === 10_000) await apply(table, candidate, jobs(1));
    };
    expect((await erase({ search, pause, limits: searchLimits })).removed).toEqual(jobs(1));
  });

  it('removes an application ahead of the present, and no repetition of its write brings it back', async ({
    table,
    erase,
    write,
  }) => {
    const ahead = Date.now() + 110_000;
    expect(await write('j-0', ahead)).toBe('stored');
    const revisions: number[] = [];
    const onRecorded = async (revision: number) => void revisions.push(revision);
    const onRemoved = async () => expect(await write('j-0', ahead)).toBe('erased');
    expect(await erase({ search, onRecorded, onRemoved })).toEqual({
      removed: jobs(1),
      skipped: [],
    });
    expect(revisions).toEqual([expect.any(Number), ahead]);
    expect(await leftIn(table)).toEqual([]);
  });

  it.for([['s3://files/old.pdf'], [{ toString: 'x' }]])(
    'reports a file that replaces %j before the removal too',
    async ([before], { table, erase }) => {
      const item = applicationItem({ job: '4007' });
      await table.put({ ...item, resume_url: before });
      const reported: (readonly string[])[] = [];
      const beforeRemoval = async (_key: Key, files: readonly string[]) => {
        reported.push(files);
        if (reported.length === 1) await table.put({ ...item, resume_url: 's3://files/new.pdf' });
      };
      expect(await erase({ search, beforeRemoval })).toEqual({ removed: ['4007'], skipped: [] });
      const old = typeof before === 'string' ? [before] : [];
      expect(reported).toEqual([old, ['s3://files/new.pdf']]);
    },
  );
});

describe('an erasure by scan', () => {
  it("ends with DynamoDB's error if it refuses a removal", async ({ table, proxy, erase }) => {
    await apply(table, candidate, ['4007']);
    proxy.faultsFor.set('"Delete"', [dynamoError(400, 'AccessDeniedException')]);
    const erased = erase({ search: 'scan', table: through(proxy, table) });
    await expect(erased).rejects.toThrow('Invented.');
    expect(await storedIn(table)).not.toEqual([]);
  });

  it('ends after one scan, and repeats it after raising the erasure', async ({
    table,
    proxy,
    erase,
    write,
  }) => {
    const scans = () => proxy.requests.filter(({ operation }) => operation === 'Scan').length;
    await apply(table, candidate, jobs(2));
    await erase({ search: 'scan', table: through(proxy, table) });
    expect(scans()).toBe(1);
    await apply(table, candidate, jobs(1));
    await write('j-9', Date.now() + 119_000);
    await erase({ search: 'scan', table: through(proxy, table) });
    expect(scans()).toBe(3);
    expect(await leftIn(table)).toEqual([]);
  });
});

describe('an erasure by the index, which lags', () => {
  const stale = listing({
    ...applicationKey('default', 'j-0', 'c-1'),
    ...candidateKey('default', 'c-1'),
  });
  const searches = ({ requests }: { requests: { operation: string | undefined }[] }) =>
    requests.filter(({ operation }) => operation === 'Query').length;
  const eraseWith = it.extend('eraseWith', ({ table, proxy, erase }) => (faults: Fault[]) => {
    proxy.faultsFor.set('by-candidate', faults);
    return erase({ table: through(proxy, table) });
  });

  it('waits ten seconds again after it was raised', async ({ erase, write }) => {
    const waits: number[] = [];
    const pause = async (ms: number) => {
      waits.push(ms);
      if (waits.length === 1) await write('j-0', Date.now() + 119_000);
    };
    await erase({ pause, limits: searchLimits });
    expect(waits).toEqual([10_000, 10_000, 1000, 1000, 1000]);
  });

  eraseWith(
    'reports one removal of an application that the index lists longer, and waits until the list is empty',
    async ({ table, proxy, eraseWith: run }) => {
      await apply(table, candidate, jobs(1));
      expect((await run([stale, stale, stale, 'none'])).removed).toEqual(jobs(1));
      // The first three searches find the application; the last two find nothing.
      expect(searches(proxy)).toBe(5);
    },
  );

  eraseWith(
    'fails if the index never stops listing a removed application',
    async ({ proxy, eraseWith: run }) => {
      await expect(run([stale])).rejects.toThrow('1 application cannot be erased');
      expect(searches(proxy)).toBe(limits.idleSearches);
    },
  );

  it('continues as long as searches find something to remove', async ({ table, erase }) => {
    await apply(table, candidate, jobs(1));
    const rewrites = limits.idleSearches + 2;
    let removals = 0;
    const onRemoved = async () => {
      removals += 1;
      if (removals <= rewrites) await apply(table, candidate, jobs(1));
    };
    await erase({ onRemoved });
    expect(removals).toBe(rewrites + 1);
    expect(await leftIn(table)).toEqual([]);
  });
});

describe('tombstones', () => {
  const removal = { removed: true, revision: 1_793_698_013_589, expires_at: 4_102_444_800 };
  const tombstone = { pk: 'TENANT#default#JOB#4007', sk: 'APPLICATION#c-1', ...removal };
  it.beforeEach(({ table }) => table.put(tombstone));

  it.for(['--yes', '--yes --scan'])(
    'are skipped by an erasure: %s',
    async (options, { table, run }) => {
      await apply(table, candidate, ['4008']);
      const { exitCode, out } = await run('erase', ...options.split(' '));
      expect([exitCode, out]).toEqual([0, expect.stringContaining(' 1 application removed')]);
      expect(out).not.toContain('4007');
      expect(await leftIn(table)).toEqual([expect.objectContaining(tombstone)]);
    },
  );

  it('stay out of an export of the candidate, which has the revisions of applications', async ({
    table,
    run,
  }) => {
    await table.put({ ...key, revision: 1_793_698_013_589, expires_at: 4_102_444_800 });
    expect((await run('export', '--scan')).err).toMatch(/^Nothing was exported/);
    await apply(table, candidate, ['4008'], { revision: 1_793_698_013_590 });
    const { exitCode, out, err } = await run('export', '--scan');
    expect([exitCode, err]).toEqual([0, '1 application exported.\n']);
    const { applications } = JSON.parse(out);
    expect(applications).toEqual([
      expect.objectContaining({ job_id: '4008', revision: 1_793_698_013_590 }),
    ]);
  });

  it('that never expire are erased', async ({ table, run }) => {
    const { expires_at: _, ...lasting } = tombstone;
    await table.put(lasting);
    await run('erase', '--yes', '--scan');
    expect(await leftIn(table)).toEqual([]);
  });

  it('that hold personal data are erased and exported', async ({ table, run }) => {
    await table.put({ ...tombstone, name: 'Ana Example' });
    const exported = await run('export', '--scan');
    expect(JSON.parse(exported.out).applications).toHaveLength(1);
    await run('erase', '--yes', '--scan');
    expect(await leftIn(table)).toEqual([]);
  });
});
