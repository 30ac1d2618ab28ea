import { describe, expect } from 'vitest';
import { systemClock } from '../../../../functions/platform/clock.ts';
import { erasureKey, type Key } from '../../../../functions/store/keys.ts';
import { candidateCommand } from '../../../../infra/operator/candidate/candidate.ts';
import {
  type EraseOptions,
  eraseCandidate,
  type SkipReason,
  searchLimits,
} from '../../../../infra/operator/candidate/erase-candidate.ts';
import { recordErasure } from '../../../../infra/operator/candidate/record-erasure.ts';
import { checkErasure, putApplicationItem } from '../../../../infra/records/conditional-writes.ts';
import { REVISIONS } from '../../../../infra/records/record-schema.ts';
import type { Table } from '../../../../infra/records/table.ts';
import { startWriteLimit } from '../../../../infra/records/write-limit.ts';
import { recordWriter } from '../../../../infra/writer/record-writer.ts';
import { apply, jobs, leftIn, storedIn, through } from '../../../support/candidates.ts';
import { test } from '../../../support/fixtures.ts';
import { applicationItem, leastApplication } from '../../../support/items.ts';
import { runCommand } from '../../../support/operator-command.ts';

const candidate = { tenant: 'default', id: 'c-1' };
const key = erasureKey('default', 'c-1');
const limits = { pauseMs: 0, idleSearches: 5, lateWriteMs: 0 };
const command = candidateCommand(limits);
const MINUTE_MS = 60_000;
const DAY_S = 86_400;
const CLOCK_MARGIN_MS = 5000;

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

/** A live write sends two requests: the first looks for an erasure, the second stores. This sends only the second. */
const store = (table: Table, job: string, revision: number) =>
  putApplicationItem(table, applicationItem({ job }, { ...leastApplication, revision }));

const it = test
  .extend('write', ({ table: { client, name } }) => {
    const writer = recordWriter({ client, table: name, tenantClaim: 'none' });
    return (job_id: string, revision: number) =>
      writer.putApplication({ type: 'application', job_id, ...leastApplication }, revision);
  })
  .extend('erase', ({ table }) => async (options: Partial<EraseOptions> = {}) => {
    const staying: [pk: string, reason: SkipReason][] = [];
    let removed = 0;
    const { onRemoved, ...others } = options;
    await eraseCandidate({
      table,
      candidate,
      search: 'index',
      onRecorded: async () => undefined,
      beforeRemoval: async () => undefined,
      onRemoved: async (key) => {
        removed += 1;
        await onRemoved?.(key);
      },
      onStay: async ({ pk }: Key, reason) => void staying.push([pk, reason]),
      limits,
      ...others,
    });
    return { removed, staying };
  })
  .extend('run', ({ table }) => (action: string, ...options: string[]) => {
    const whose = ['--tenant', 'default', '--id', 'c-1', '--table', table.name];
    return runCommand(command, [action, ...whose, ...options]);
  });

describe('recording an erasure', () => {
  it('takes the time of DynamoDB, and comes before the search', async ({ table, proxy, erase }) => {
    await apply(table, candidate, ['4007']);
    const now = Date.UTC(2031, 0);
    await erase({ table: withTime(through(proxy, table), () => now) });
    const operations = proxy.requests.map(({ operation }) => operation);
    expect(operations.slice(0, 3)).toEqual(['GetItem', 'PutItem', 'Query']);
    const revision = now + CLOCK_MARGIN_MS;
    const stored = { ...key, revision, expires_at: now / 1000 + 30 * DAY_S };
    expect(await storedIn(table)).toEqual([stored]);
  });

  it.for(['--yes', '--yes --scan'])(
    'also happens if no application is found: %s',
    async (options, { run, write }) => {
      const { exitCode, out } = await run('erase', ...options.split(' '));
      expect([exitCode, out]).toEqual([0, expect.stringContaining('No application was found')]);
      expect(await write('4007', Date.now())).toBe('older');
    },
  );

  it('never makes the revision smaller, and extends the expiry', async ({ table }) => {
    const later = Date.now() + 10 * MINUTE_MS;
    await table.put({ ...key, revision: later, expires_at: 1 });
    expect(await recordErasure(table, candidate)).toBe(later);
    const expires_at = expect.toSatisfy((time) => time > Date.now() / 1000 + 29 * DAY_S);
    expect(await table.read(key)).toEqual({ ...key, revision: later, expires_at });
  });

  it.for(['yesterday', null, { at: 1 }, REVISIONS.maximum + 1])(
    'replaces a stored value that is not a revision: %j',
    async (revision, { table }) => {
      await table.put({ ...key, revision, name: 'Ana Example' });
      const erased = await recordErasure(table, candidate);
      expect(erased).toBeLessThan(REVISIONS.maximum);
      expect(await table.read(key)).toEqual({
        ...key,
        revision: erased,
        expires_at: expect.any(Number),
      });
    },
  );
});

it('an erasure ignores the revision of an application beyond the maximum, and removes the application', async ({
  table,
  erase,
}) => {
  await apply(table, candidate, jobs(1));
  const [item] = await leftIn(table);
  await table.put({ ...item, revision: REVISIONS.maximum + 1 });
  expect(await erase()).toEqual({ removed: 1, staying: [] });
  const { revision } = { ...(await table.read(key)) };
  expect(revision).toBeLessThan(REVISIONS.maximum);
});

describe('a live write during an erasure', () => {
  const amid = (work: () => Promise<unknown>): Pick<EraseOptions, 'onRemoved'> => {
    let isDone = false;
    return {
      onRemoved: async () => {
        if (isDone) return;
        await work();
        isDone = true;
      },
    };
  };

  it('brings nothing back if it was under way, whatever the job is', async ({
    table,
    erase,
    write,
  }) => {
    await apply(table, candidate, jobs(1));
    const before = Date.now();
    expect(await checkErasure(table, key, before, startWriteLimit(systemClock))).toBe('newer');
    const underWay = amid(async () => {
      expect(await store(table, 'j-0', before)).toBe('stored');
      expect(await store(table, 'j-1', before)).toBe('stored');
    });
    expect(await erase(underWay)).toEqual({ removed: 3, staying: [] });
    expect(await write('j-0', before)).toBe('older');
    expect(await write('j-2', before)).toBe('older');
    expect(await leftIn(table)).toEqual([]);
  });

  it('stays if it comes after the search that follows the wait, and its revision is later', async ({
    table,
    proxy,
    erase,
  }) => {
    await apply(table, candidate, jobs(1));
    let now = Date.now();
    const later = now + MINUTE_MS;
    const waits: number[] = [];
    const pause = async (ms: number) => {
      waits.push(ms);
      if (waits.length !== 2) return;
      now = later;
      await store(table, 'j-1', later);
    };
    const { staying } = await erase({ pause, table: withTime(through(proxy, table), () => now) });
    expect(staying).toEqual([['TENANT#default#JOB#j-1', 'later']]);
    const [application] = await leftIn(table);
    expect(application).toMatchObject({ pk: 'TENANT#default#JOB#j-1', revision: later });
  });

  it.for([
    ['ten seconds ahead, as of the end of the wait', 10_000, 1],
    ['a minute ahead, whenever it is found', MINUTE_MS, 2],
  ] as const)(
    'is removed if its clock is %s',
    async ([, aheadMs, wait], { table, proxy, erase, write }) => {
      await apply(table, candidate, jobs(1));
      const began = Date.now();
      const ahead = began + aheadMs;
      let waits = 0;
      const pause = async () => {
        waits += 1;
        if (waits === wait) await store(table, 'j-1', ahead);
      };
      const onTime = withTime(through(proxy, table), () => began + Math.min(waits, 1) * 10_000);
      expect(await erase({ pause, table: onTime })).toEqual({ removed: 2, staying: [] });
      expect(await leftIn(table)).toEqual([]);
      expect(await write('j-1', ahead)).toBe('older');
    },
  );

  it.for([7000, 12_000, 15_000])(
    'is removed if its clock is %i ms ahead, and the index lists it only after the first search that follows the wait',
    async (aheadMs, { table, proxy, erase, write }) => {
      await apply(table, candidate, jobs(1));
      let now = Math.floor(Date.now() / 1000) * 1000;
      const ahead = now + aheadMs;
      let waits = 0;
      const pause = async (ms: number) => {
        now += ms;
        waits += 1;
        if (waits === 2) await store(table, 'j-1', ahead);
      };
      const timed = withTime(through(proxy, table), () => now);
      const real = { pause, table: timed, limits: searchLimits };
      expect(await erase(real)).toEqual({ removed: 2, staying: [] });
      expect(await write('j-1', ahead)).toBe('older');
    },
  );

  it('has time to end again after an erasure was raised over another', async ({ table, erase }) => {
    const ahead = Date.now() + MINUTE_MS;
    const waits: number[] = [];
    const pause = async (ms: number) => {
      waits.push(ms);
      // The write arrives twice. Before it arrives for the second time, the erasure has removed what the first arrival
      // stored.
      if (waits.length <= 2) await store(table, 'j-1', ahead);
    };
    const late = { ...limits, lateWriteMs: 10_000 };
    expect(await erase({ pause, limits: late })).toEqual({ removed: 2, staying: [] });
    expect(waits.slice(0, 3)).toEqual([10_000, 10_000, 0]);
    expect(await leftIn(table)).toEqual([]);
  });

  it('does not bring an application back if its clock is ahead and it is repeated', async ({
    table,
    erase,
    write,
  }) => {
    const ahead = Date.now() + MINUTE_MS;
    await write('j-0', ahead);
    const repeated = amid(() => store(table, 'j-0', ahead));
    const revisions: number[] = [];
    const onRecorded = async (revision: number) => void revisions.push(revision);
    expect((await erase({ ...repeated, onRecorded })).staying).toEqual([]);
    expect(await table.read(key)).toMatchObject({ revision: ahead });
    expect(revisions).toEqual([expect.any(Number), ahead]);
    expect(await write('j-0', ahead)).toBe('older');
    expect(await leftIn(table)).toEqual([]);
  });

  it('is found by the next search if it replaces an application before the removal', async ({
    table,
    erase,
    write,
  }) => {
    await write('j-0', Date.now());
    const revisions: number[] = [];
    const beforeRemoval = async () => {
      revisions.push(Date.now() + MINUTE_MS);
      if (revisions.length === 1) await store(table, 'j-0', Math.max(...revisions));
    };
    expect(await erase({ beforeRemoval })).toEqual({ removed: 1, staying: [] });
    expect(revisions).toHaveLength(2);
    expect(await leftIn(table)).toEqual([]);
  });
});

it('an erasure is recorded and searches again after 10 s, when earlier live writes have ended', async ({
  table,
  proxy,
  erase,
}) => {
  await apply(table, candidate, jobs(1));
  const steps: unknown[] = [];
  let now = Date.UTC(2031, 0);
  const onRecorded = async (revision: number) => void steps.push(revision - now);
  const onRemoved = async ({ pk }: Key) => void steps.push(pk);
  const pause = async (ms: number) => {
    steps.push(ms);
    now += ms;
    if (ms === 10_000) await apply(table, candidate, jobs(2));
  };
  const timed = withTime(through(proxy, table), () => now);
  await erase({ onRecorded, onRemoved, pause, table: timed, limits: searchLimits });
  const [first, second] = ['TENANT#default#JOB#j-0', 'TENANT#default#JOB#j-1'];
  expect(steps.slice(0, 3)).toEqual([CLOCK_MARGIN_MS, first, 10_000]);
  expect(steps.slice(3, 5).toSorted()).toEqual([first, second]);
});

describe('tombstones', () => {
  const removal = { removed: true, revision: 1_793_698_013_589, expires_at: 4_102_444_800 };
  const tombstone = { pk: 'TENANT#default#JOB#4007', sk: 'APPLICATION#c-1', ...removal };
  it.beforeEach(({ table }) => table.put(tombstone));

  it.for(['--yes', '--yes --scan'])(
    'are left alone by an erasure: %s',
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
    await store(table, '4008', 1_793_698_013_590);
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
