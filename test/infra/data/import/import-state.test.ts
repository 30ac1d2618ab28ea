import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { applicationKey, erasureKey } from '../../../../functions/store/keys.ts';
import { importCommand } from '../../../../infra/data/import/import.ts';
import { apply, storedIn } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { applicationLine, jobLine } from '../../../support/records.ts';
import type { TestTable } from '../../../support/table.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOW = Math.floor(Date.now() / 1000) * 1000;
/** The third night's download began ten minutes ago. */
const nights = [3, 2, 1].map((days) => NOW - (days - 1) * DAY_MS - 10 * MINUTE_MS);
const [FIRST = 0, SECOND = 0, THIRD = 0] = nights;
const revisionAt = (time: number) => time - MINUTE_MS;
const LONG_AGO = '2020-01-01T00:00:00.000Z';

const command = importCommand({ settleMs: 0, pauseMs: 0, idleSearches: 5 });
const keyOf = (id: string, tenant = 'default') => applicationKey(tenant, '4007', id);

interface Night {
  exitCode: number | null;
  out: string;
  err: string;
  /** `[outcome, user_id or line]` of each line. */
  outcomes: unknown[][];
  report: Record<string, unknown>[];
}

function importer(table: Pick<TestTable, 'name'>, folder: string) {
  return async (
    time: number | string,
    lines: readonly string[],
    options: readonly string[] = ['--remove-at-most', '10'],
    env?: NodeJS.ProcessEnv,
  ): Promise<Night> => {
    const [file, report] = ['', '-report'].map((end) =>
      join(folder, `${crypto.randomUUID()}${end}.ndjson`),
    ) as [string, string];
    writeFileSync(file, lines.join('\n'));
    const at = typeof time === 'number' ? new Date(time).toISOString() : time;
    const args = [file, '--table', table.name, '--complete-at', at, '--report', report];
    const ended = await runCommand(
      command,
      [...args, ...options, '--files-bucket', 'files'],
      env ? { env } : {},
    );
    const entries: Record<string, unknown>[] = readFileSync(report, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const outcomes = entries.map(({ outcome, user_id, line }) => [outcome, user_id ?? line]);
    return { ...ended, outcomes, report: entries };
  };
}

const it = test.extend('night', ({ table, folder }) => importer(table, folder));
const line = applicationLine;
const summaries = async (table: TestTable) =>
  Object.fromEntries(
    (await storedIn(table))
      .filter(({ sk }) => String(sk).startsWith('APPLICATION#'))
      .map(({ sk, removed, revision, score }) => [
        String(sk).slice('APPLICATION#'.length),
        removed ? ['removed', revision] : [score, revision],
      ]),
  );

describe('a whole state', () => {
  it('writes only what differs, with its time less a minute, and again nothing', async ({
    table,
    night,
  }) => {
    await night(FIRST, [line('same', { score: 1 }), line('new', { score: 1, revision: NOW })]);
    expect(await summaries(table)).toEqual({
      same: [1, revisionAt(FIRST)],
      new: [1, revisionAt(FIRST)],
    });
    const lines = [line('same', { score: 1 }), line('new', { score: 2 }), line('added')];
    const second = await night(SECOND, lines);
    expect([second.exitCode, second.out, second.report]).toEqual([
      0,
      '2 applications stored, 1 application unchanged, 0 lines refused.\n',
      [],
    ]);
    const after = {
      same: [1, revisionAt(FIRST)],
      new: [2, revisionAt(SECOND)],
      added: [undefined, revisionAt(SECOND)],
    };
    expect(await summaries(table)).toEqual(after);
    const again = await night(SECOND, lines);
    expect(again.out).toBe('Nothing stored, 3 applications unchanged, 0 lines refused.\n');
    expect(await summaries(table)).toEqual(after);
  });

  it('sees no change in the order of members, or in what a newer service has added', async ({
    table,
    night,
  }) => {
    const education = [{ institution: 'USP', degree: 'BSc', start_date: '2010' }];
    await night(FIRST, [line('c-1', { education, score: 8.5 })]);
    const item = await table.read(keyOf('c-1'));
    await table.put({ ...item, of_a_newer_service: 'x' });
    const swapped = education.map((one) => Object.fromEntries(Object.entries(one).toReversed()));
    const { out } = await night(SECOND, [
      line('c-1', { score: 8.5, education: swapped, phone: null, experience: null }),
    ]);
    expect(out).toContain('1 application unchanged');
  });

  it('goes over what is older, and never over what is newer', async ({ table, night }) => {
    const revision = revisionAt(SECOND);
    const before = { older: revision - 1, same: revision, newer: revision + 1 };
    for (const [id, at] of Object.entries(before)) {
      await apply(table, { id }, ['4007'], { revision: at, score: 1 });
    }
    await apply(table, { id: 'without' }, ['4007'], { score: 1 });
    const ids = [...Object.keys(before), 'without'];
    const { exitCode, outcomes } = await night(
      SECOND,
      ids.map((id) => line(id, { score: 2 })),
    );
    expect([exitCode, outcomes]).toEqual([0, [['older', 'newer']]]);
    expect(await summaries(table)).toEqual({
      older: [2, revision],
      same: [2, revision],
      newer: [1, revision + 1],
      without: [2, revision],
    });
  });

  it('stores the first of several lines about an application, in every run', async ({
    table,
    night,
  }) => {
    const lines = [line('kept'), line('twice', { score: 1 }), line('twice', { score: 2 })];
    for (const time of [FIRST, SECOND]) {
      const { exitCode, report } = await night(time, lines);
      expect(exitCode).toBe(1);
      expect(report).toMatchObject([
        { line: 3, outcome: 'repeated', first_line: 2, is_stored: false },
      ]);
    }
    expect(await summaries(table)).toMatchObject({ twice: [1, revisionAt(FIRST)] });
  });

  it('names a value that is stored as null in every run', async ({ night }) => {
    const lines = [line('c-1', { phone: '1' })];
    await night(FIRST, lines, ['--null-invalid']);
    const { exitCode, out, report } = await night(SECOND, lines, ['--null-invalid']);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('1 application unchanged')]);
    expect(report).toMatchObject([{ outcome: 'null', values: { '/phone': '1' } }]);
  });

  it('only reports a job with another status', async ({ night }) => {
    await night(FIRST, [line('c-1'), jobLine('1', 'closed')]);
    const { exitCode, report } = await night(SECOND, [line('c-1'), jobLine('1')]);
    expect([exitCode, report]).toMatchObject([0, [{ id: '1', outcome: 'other_status' }]]);
  });

  it('names an application that nothing can replace, because of its revision', async ({
    table,
    night,
  }) => {
    await apply(table, { id: 'odd' }, ['4007']);
    await table.put({ ...(await table.read(keyOf('odd'))), revision: 'yesterday' });
    const { exitCode, outcomes } = await night(FIRST, [line('odd', { score: 1 }), line('c-1')]);
    expect([exitCode, outcomes]).toEqual([
      1,
      [
        ['older', 'odd'],
        ['invalid_revision', 'odd'],
      ],
    ]);
  });
});

describe('what a state lacks', () => {
  const three = [line('a'), line('b'), line('c')];

  it('is removed for 30 days, and comes back with the next file', async ({ table, night }) => {
    await night(FIRST, three);
    const { exitCode, out, outcomes } = await night(SECOND, three.slice(0, 1));
    expect([exitCode, out, outcomes.toSorted()]).toEqual([
      0,
      'Nothing stored, 1 application unchanged, 0 lines refused. 2 applications removed, because FILE lacks them.\n',
      [
        ['removed', 'b'],
        ['removed', 'c'],
      ],
    ]);
    const tombstone = await table.read(keyOf('b'));
    expect(tombstone).toEqual({
      ...{ ...keyOf('b'), removed: true, revision: revisionAt(SECOND) - 1 },
      expires_at: expect.any(Number),
    });
    const left = Number(tombstone?.expires_at) * 1000 - Date.now();
    expect(Math.round(left / DAY_MS)).toBe(30);
    const again = await night(SECOND, three.slice(0, 1), ['--remove-at-most', '0']);
    expect([again.exitCode, again.outcomes]).toEqual([0, []]);
    const third = await night(THIRD, three);
    expect([third.exitCode, third.report]).toEqual([0, []]);
    expect(await summaries(table)).toMatchObject({
      b: [undefined, revisionAt(THIRD)],
      c: [undefined, revisionAt(THIRD)],
    });
  });

  it('stays unless it is older than the state', async ({ table, night }) => {
    const revision = revisionAt(SECOND);
    await apply(table, { id: 'older' }, ['4007'], { revision: revision - 1 });
    await apply(table, { id: 'without' }, ['4007']);
    await apply(table, { id: 'same' }, ['4007'], { revision });
    await apply(table, { id: 'newer' }, ['4007'], { revision: revision + 1 });
    await apply(table, { id: 'expired' }, ['4007'], { expires_at: 1_700_000_000 });
    const { outcomes } = await night(SECOND, [line('c-1')]);
    expect(outcomes.toSorted()).toEqual([
      ['removed', 'older'],
      ['removed', 'without'],
    ]);
    expect(await table.read(keyOf('expired'))).not.toHaveProperty('removed');
  });

  it('stays if it is of another tenant than those in the file', async ({ table, night }) => {
    await apply(table, { tenant: 'default2', id: 'a' }, ['4007']);
    await apply(table, { tenant: 'acme', id: 'a' }, ['4007']);
    const before = await storedIn(table);
    const { exitCode, outcomes } = await night(SECOND, [line('c-1'), jobLine('1')]);
    expect([exitCode, outcomes]).toEqual([0, []]);
    expect(await storedIn(table)).toEqual(expect.arrayContaining(before));
    const both = [line('c-1'), line('b', { tenant: 'acme' })];
    expect((await night(SECOND, both)).report).toMatchObject([{ tenant: 'acme', user_id: 'a' }]);
  });

  it('stays if of its tenant the file has only lines that are refused, such as removals', async ({
    table,
    night,
  }) => {
    const ids = { tenant: 'acme', job_id: '4007', user_id: 'c-1' };
    await apply(table, { tenant: 'acme', id: 'a' }, ['4007']);
    await apply(table, { tenant: 'acme', id: 'c-1' }, ['4007']);
    const before = await storedIn(table);
    const removal = { type: 'removal', ...ids, revision: NOW, expires_at: 4_102_444_800 };
    const { job_id: _, ...candidate } = removal;
    const lines = [
      line('c-1'),
      line('c-1', { tenant: 'acme', phone: '1' }),
      JSON.stringify(removal),
      JSON.stringify({ ...candidate, type: 'erasure' }),
    ];
    const { exitCode, outcomes } = await night(SECOND, lines);
    const refused = outcomes.map(([outcome]) => outcome);
    expect([exitCode, refused]).toEqual([1, ['refused', 'refused', 'refused']]);
    expect(await storedIn(table)).toEqual(expect.arrayContaining(before));
    expect(await table.read(erasureKey('acme', 'c-1'))).toBeUndefined();
  });

  it.for<[string, string[], string[], string]>([
    ['without a limit', [], [], 'lacks 2 stored applications: to remove them, use --remove-at-m'],
    [
      'over the limit',
      ['--remove-at-most', '1'],
      [],
      'lacks 2 stored applications, more than --remove-at-most 1',
    ],
    ['beside a line that is not JSON', ['--remove-at-most', '2'], ['{'], 'may stand in lines'],
    ['beside a placeholder', ['--remove-at-most', '2'], [line('NULL')], 'may stand in lines'],
    ['beside a missing id', ['--remove-at-most', '2'], [line('x', { user_id: undefined })], 'may'],
    [
      'beside a line with two candidates',
      ['--remove-at-most', '2'],
      [line('x').replace(/}$/, ',"user_id":"y"}')],
      'may stand in lines',
    ],
  ])('is only named %s, with exit code 1', async ([, options, more, advice], { table, night }) => {
    await night(FIRST, three);
    const before = await storedIn(table);
    const { exitCode, out, err, outcomes } = await night(SECOND, [line('a'), ...more], options);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(advice)]);
    expect(out).toContain(' 2 applications not removed, although FILE lacks them.');
    expect(outcomes.filter(([outcome]) => outcome !== 'refused')).toEqual([
      ['missing', 'b'],
      ['missing', 'c'],
    ]);
    expect(await storedIn(table)).toEqual(before);
  });

  it('is removed up to the limit, whatever becomes of lines whose ids can be read', async ({
    table,
    night,
  }) => {
    await night(FIRST, [...three, line('refused'), jobLine('1', 'closed')]);
    await table.put({ ...erasureKey('default', 'x'), revision: NOW, expires_at: 4_102_444_800 });
    const lines = [
      line('refused', { phone: '1' }),
      line('x'),
      line('a'),
      line('a'),
      jobLine('1'),
      jobLine('NULL'),
    ];
    const { outcomes, err } = await night(SECOND, lines, ['--remove-at-most', '2']);
    // Importing only the refused lines would remove everybody else.
    expect(err).toContain('import all of FILE again.\n');
    expect(outcomes).toEqual(
      expect.arrayContaining([
        ['removed', 'b'],
        ['removed', 'c'],
      ]),
    );
    expect(outcomes.filter(([outcome]) => outcome === 'removed')).toHaveLength(2);
    expect(await summaries(table)).toMatchObject({ refused: [undefined, revisionAt(FIRST)] });
  });

  it('stays if the file has no application, which the command says', async ({ table, night }) => {
    await night(FIRST, three);
    const before = await storedIn(table);
    const { exitCode, err } = await night(SECOND, [jobLine('1')]);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining('FILE has no application, so nothing was removed.'),
    ]);
    expect(await storedIn(table)).toEqual(expect.arrayContaining(before));
    expect((await night(SECOND, [])).err).toContain('contains no records');
  });

  it('stays if the run stops, which the command says', async ({ table, proxy, night }) => {
    await night(FIRST, three);
    proxy.faultsFor.set(keyOf('new').sk, [dynamoError(400, 'AccessDeniedException')]);
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const { exitCode, err, report } = await night(SECOND, [line('a'), line('new')], undefined, env);
    expect([exitCode, report]).toEqual([1, []]);
    expect(err).toContain(
      'The import stopped. Nothing that FILE lacks was removed. Run it again.\n',
    );
    expect(await summaries(table)).toMatchObject({ b: [undefined, revisionAt(FIRST)] });
  });

  it.for<[string, (table: TestTable) => Promise<unknown>, unknown[][], object]>([
    [
      'was written since the command has read the table',
      (table) => apply(table, { id: 'b' }, ['4007'], { revision: NOW }),
      [['kept', 'b']],
      { b: [undefined, NOW] },
    ],
    [
      'was removed by another program',
      (table) => table.put({ ...keyOf('b'), removed: true, revision: NOW }),
      [],
      {},
    ],
  ])('stays if it %s', async ([, change, expected, stored], { table, proxy, night }) => {
    await night(FIRST, [line('a'), line('b')]);
    // Changes the table after the scan, before the command asks for the time and reads the application.
    const before: Fault = { respondsAfter: () => change(table) };
    proxy.faultsFor.set('"Limit":500', [before]);
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const { exitCode, outcomes } = await night(SECOND, [line('a')], undefined, env);
    expect([exitCode, outcomes]).toEqual([0, expected]);
    expect(await summaries(table)).toMatchObject(stored);
  });

  it('is kept if it changes between its report and its removal', async ({
    table,
    proxy,
    night,
  }) => {
    await night(FIRST, [line('a'), line('b')]);
    const change = () => apply(table, { id: 'b' }, ['4007'], { revision: NOW });
    proxy.faultsFor.set('GetItem', [{ respondsAfter: change }]);
    proxy.faultsFor.set(keyOf('b').sk, [{ respondsAfter: change }]);
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const { outcomes } = await night(SECOND, [line('a')], undefined, env);
    expect(outcomes).toEqual([
      ['removed', 'b'],
      ['kept', 'b'],
    ]);
    expect(await summaries(table)).toMatchObject({ b: [undefined, NOW] });
  });

  it('is named with the files that it leaves in S3', async ({ night }) => {
    const resume_url = 's3://files/default/b.pdf';
    await night(FIRST, [line('a'), line('b', { resume_url })]);
    const { err, report } = await night(SECOND, [line('a')]);
    expect(report).toMatchObject([{ outcome: 'removed', because: 'missing', files: [resume_url] }]);
    expect(err).toBe(
      `removed: candidate "b", job "4007" of tenant "default"; "${resume_url}" is left in S3\n`,
    );
  });
});

describe('after an erasure, a state', () => {
  it('stores only an application that was made later, and names the others in every run', async ({
    table,
    night,
  }) => {
    const erasure = { ...erasureKey('default', 'c-1'), revision: FIRST };
    await table.put({ ...erasure, expires_at: Date.parse('2099-12-24T12:00:00Z') / 1000 });
    const made = (job_id: string, at: number) =>
      line('c-1', { job_id, created_at: new Date(at).toISOString() });
    const lines = [made('before', FIRST - 1), made('same', FIRST), made('after', FIRST + 1)];
    for (const time of [SECOND, THIRD]) {
      const { exitCode, report } = await night(time, lines);
      expect(exitCode).toBe(0);
      expect(report).toMatchObject([
        { job_id: 'before', outcome: 'erased', forgotten_on: '2099-12-24' },
        { job_id: 'same', outcome: 'erased', forgotten_on: '2099-12-24' },
      ]);
    }
    expect((await storedIn(table)).flatMap(({ job_id }) => job_id ?? [])).toEqual(['after']);
  });
});

describe('the expiry of applications in a state', () => {
  const days = ['--expire-after-days', '30', '--remove-at-most', '10'];
  const expires_at = 4_102_444_800;

  it('is written if it is the own one of a line, and else kept', async ({ table, night }) => {
    await night(FIRST, [
      line('own', { expires_at }),
      line('without'),
      line('kept', { expires_at }),
    ]);
    const { out } = await night(SECOND, [
      line('own', { expires_at: expires_at + 1 }),
      line('without'),
      line('kept'),
    ]);
    expect(out).toContain('1 application stored, 2 applications unchanged');
    expect(await table.read(keyOf('own'))).toMatchObject({ expires_at: expires_at + 1 });
    expect(await table.read(keyOf('kept'))).toMatchObject({ expires_at });
  });

  it('follows from their age where none is stored, and again nothing', async ({ table, night }) => {
    const created_at = new Date(NOW - DAY_MS).toISOString();
    await night(FIRST, [line('c-1', { created_at })], []);
    expect((await night(SECOND, [line('c-1', { created_at })], days)).out).toMatch(
      /^1 app.*stored/,
    );
    const until = (NOW + 29 * DAY_MS) / 1000;
    expect(await table.read(keyOf('c-1'))).toMatchObject({ expires_at: until });
    expect((await night(THIRD, [line('c-1', { created_at })], days)).out).toMatch(
      / 1 .* unchanged/,
    );
    // A later import with other days does not change a stored expiry.
    const longer = ['--expire-after-days', '60', '--remove-at-most', '10'];
    const { out } = await night(THIRD, [line('c-1', { created_at })], longer);
    expect(out).toContain('1 application unchanged');
    expect(await table.read(keyOf('c-1'))).toMatchObject({ expires_at: until });
  });

  it('ends what is stored without one and too old, and does not store it again', async ({
    table,
    night,
  }) => {
    await night(FIRST, [line('old', { created_at: LONG_AGO })], []);
    const lines = [line('old', { created_at: LONG_AGO }), line('gone', { created_at: LONG_AGO })];
    const { outcomes } = await night(SECOND, lines, days);
    expect(outcomes.toSorted()).toEqual([
      ['expired', 'gone'],
      ['expired', 'old'],
    ]);
    expect(await table.read(keyOf('gone'))).toBeUndefined();
    const { expires_at: until } = { ...(await table.read(keyOf('old'))) };
    // At most DynamoDB's time, which may be rounded up by a second.
    expect(Number(until) * 1000).toBeLessThanOrEqual(Date.now() + 1000);
    const third = await night(THIRD, lines, days);
    expect(third.out).toBe(
      'Nothing stored, 2 lines about an expired application left out, 0 lines refused.\n',
    );
  });

  it('holds for a line without one, which is named', async ({ table, night }) => {
    await apply(table, { id: 'c-1' }, ['4007'], { expires_at: 1_700_000_000 });
    const { report } = await night(SECOND, [line('c-1', { score: 1 })]);
    expect(report).toMatchObject([{ outcome: 'expired', is_stored: false }]);
    expect(await table.read(keyOf('c-1'))).not.toHaveProperty('score');
  });
});

describe('--complete-at', () => {
  it.for([
    [NOW + 3 * MINUTE_MS, "a minute ahead of DynamoDB's time"],
    [NOW - 31 * DAY_MS, 'more than 30 days ago'],
  ] as const)('is no time like %s', async ([time, message], { table, night }) => {
    const { exitCode, err } = await night(time, [line('c-1')]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
    expect(await storedIn(table)).toEqual([]);
  });

  it('takes a time with an offset, up to a minute ahead', async ({ table, night }) => {
    const ahead = NOW + MINUTE_MS / 2;
    const local = new Date(ahead + 2 * 60 * MINUTE_MS).toISOString().replace('.000Z', '+02:00');
    expect((await night(local, [line('c-1')])).exitCode).toBe(0);
    expect(await table.read(keyOf('c-1'))).toMatchObject({ revision: revisionAt(ahead) });
  });

  it('needs a file, and not a pipe', async ({ folder }) => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const program = fileURLToPath(
      new URL('../../../../infra/data/import/import.ts', import.meta.url),
    );
    const at = ['--complete-at', new Date(NOW).toISOString()];
    const child = spawn(process.execPath, [program, fifo, '--table', 'none', ...at], {
      env: environment(),
    });
    writeFileSync(fifo, line('c-1'));
    const [[exitCode], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining('needs a file')]);
  });
});
