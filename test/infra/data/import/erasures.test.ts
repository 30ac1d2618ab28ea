import { describe, expect } from 'vitest';
import { candidateKey, erasureKey } from '../../../../functions/store/keys.ts';
import { searchLimits } from '../../../../infra/data/candidate/erase-candidate.ts';
import { importCommand } from '../../../../infra/data/import/import.ts';
import type { Entry } from '../../../../infra/data/import/import-records.ts';
import { importIntoTable } from '../../../../infra/data/import/import-table.ts';
import { apply, leftIn, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { applicationLine, jobLine, jobLines, streamOf } from '../../../support/records.ts';

const ERASED_AT = 1_790_000_000_000;
const EXPIRES_AT = 4_102_444_800;
const limits = { pauseMs: 0, idleSearches: 5, settleMs: 0 };
const nothing = async () => undefined;
const removals = { beforeRemoval: nothing, onRemoved: nothing, onSkipped: nothing };
const candidate = { tenant: 'default', id: 'c-1' };

const erasureLine = (revision = ERASED_AT, user_id = 'c-1') =>
  JSON.stringify({ type: 'erasure', user_id, revision, expires_at: EXPIRES_AT });
const erasureItem = {
  ...erasureKey('default', 'c-1'),
  revision: ERASED_AT,
  expires_at: EXPIRES_AT,
};

const it = test.extend('run', ({ table }) => (lines: readonly string[], ...options: string[]) => {
  const args = ['-', '--table', table.name, ...options];
  return runCommand(importCommand(limits), args, { input: lines.join('\n') });
});

describe.each([[[]], [['--replace']]])(
  'after the erasure of a candidate, an import %j',
  (options) => {
    it('names each line that is not newer, whatever its job is, and writes the others', async ({
      table,
      run,
    }) => {
      await table.put(erasureItem);
      const lines = [
        applicationLine('c-1', { job_id: 'j-2', revision: ERASED_AT - 1 }),
        applicationLine('c-1', { job_id: 'j-3', revision: ERASED_AT }),
        applicationLine('c-1', { job_id: 'j-4', revision: ERASED_AT + 1 }),
        applicationLine('c-2'),
        applicationLine('c-1', { job_id: 'j-5', tenant: 'acme' }),
      ];
      const { exitCode, out, err } = await run(lines, ...options);
      const older = [1, 2].map(
        (line) =>
          `line ${line} is older than the erasure of its candidate, which is stored until 2100-01-01\n`,
      );
      expect([exitCode, err]).toEqual([0, older.join('')]);
      expect(out).toBe(
        '3 applications stored, 2 lines older than the erasure of the candidate, 0 lines refused.\n',
      );
      const left = (await leftIn(table)).map(({ job_id, user_id }) => `${job_id} ${user_id}`);
      expect(left.toSorted()).toEqual(['4007 c-2', 'j-4 c-1', 'j-5 c-1']);
    });

    it('names a line without a revision, which does not show that it is newer', async ({
      table,
      run,
    }) => {
      await table.put(erasureItem);
      const { exitCode, out, err } = await run([applicationLine('c-1')], ...options);
      expect([exitCode, out]).toEqual([
        1,
        'Nothing stored, 1 line without a revision left out, 0 lines refused.\n',
      ]);
      expect(err).toBe(
        'line 1 has no revision, so nothing shows that it is newer than what is stored or than the erasure of its candidate\n' +
          'Give the lines without a revision the time of their change. With --replace, they are stored as they are, unless their candidate was erased.\n',
      );
      expect(await leftIn(table)).toEqual([]);
    });
  },
);

describe('an erasure in the imported file', () => {
  it.for([
    ['before it', (erasure: string, old: string) => [erasure, old]],
    ['after it', (erasure: string, old: string) => [old, erasure]],
    ['blocks before it', (erasure: string, old: string) => [old, ...fillers, erasure]],
    ['blocks after it', (erasure: string, old: string) => [erasure, ...fillers, old]],
  ] as const)('ends an older application that stands %s', async ([, linesOf], { table, run }) => {
    const newer = applicationLine('c-1', { job_id: 'j-2', revision: ERASED_AT + 1 });
    const old = applicationLine('c-1', { revision: ERASED_AT });
    const { exitCode } = await run([newer, ...linesOf(erasureLine(), old)]);
    expect(exitCode).toBe(0);
    const left = (await leftIn(table)).filter(({ user_id }) => user_id === 'c-1');
    expect(left).toMatchObject([{ job_id: 'j-2' }]);
    expect(await table.read(erasureKey('default', 'c-1'))).toEqual(erasureItem);
  });

  /** More lines than a block holds. */
  const fillers = Array.from({ length: 201 }, (_, at) => jobLine(`j-${at}`));

  it('removes older applications of the table, and names them and the files that are left', async ({
    table,
    run,
  }) => {
    const resume_url = 's3://files/default/c-1.pdf';
    await apply(table, candidate, ['4007', 'j-1'], { revision: ERASED_AT });
    await apply(table, candidate, ['j-2'], { resume_url });
    await apply(table, candidate, ['j-3'], { revision: ERASED_AT + 1 });
    await apply(table, { ...candidate, id: 'c-2' }, ['4007']);
    const { exitCode, out, err } = await run([erasureLine()]);
    const removed = ['4007', 'j-1', 'j-2'].map(
      (job) =>
        `removed: candidate "c-1", job "${job}" of tenant "default", older than the erasure\n`,
    );
    const file = `"${resume_url}" is left in S3, without its application\n`;
    expect(exitCode).toBe(0);
    expect(linesOf(err)).toEqual(linesOf([...removed, file].join('')));
    expect(out).toBe(
      '1 erasure stored, 0 lines refused. 3 applications removed, older than the erasure of the candidate.\n',
    );
    const left = (await leftIn(table)).map(({ job_id, user_id }) => `${job_id} ${user_id}`);
    expect(left).toEqual(['4007 c-2', 'j-3 c-1']);
  });

  const linesOf = (text: string) => text.split('\n').toSorted();

  it('leaves an application that is newer, even if it is a little ahead of the present', async ({
    table,
    run,
  }) => {
    await apply(table, candidate, ['4007'], { revision: Date.now() + 30_000 });
    const { exitCode, out } = await run([erasureLine()]);
    expect([exitCode, out]).toEqual([0, expect.stringContaining('1 erasure stored')]);
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('is lowered to a minute from now if it is of the far future, with a remark', async ({
    table,
    run,
  }) => {
    await apply(table, candidate, ['4007'], { revision: Date.now() });
    const before = Date.now();
    const { exitCode, err } = await run([erasureLine(Date.UTC(2126, 0))]);
    expect([exitCode, err]).toEqual([
      0,
      expect.stringMatching(
        /^line 1 has a revision further ahead than clocks may differ: .* a minute from now\n/,
      ),
    ]);
    const { revision } = { ...(await table.read(erasureKey('default', 'c-1'))) };
    expect(revision).toBeGreaterThanOrEqual(before + 60_000);
    // A minute after DynamoDB's time, which may be rounded up by a second.
    expect(revision).toBeLessThanOrEqual(Date.now() + 61_000);
    expect(await leftIn(table)).toEqual([]);
  });

  it('names what stays because it belongs to somebody else', async ({ table, run }) => {
    await apply(table, { ...candidate, id: 'c-2' }, ['4007']);
    const [item] = await leftIn(table);
    await table.put({ ...item, ...candidateKey('default', 'c-1') });
    expect((await run([erasureLine()])).err).toBe(
      `skipped: candidate "c-2", job "4007" of tenant "default", which was found for the candidate, but names somebody else\n`,
    );
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('counts what was removed before a failure', async ({ table, proxy }) => {
    await apply(table, candidate, ['4007']);
    proxy.faultsFor.set('by-candidate', ['none', dynamoError(400, 'AccessDeniedException')]);
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const args = ['-', '--table', table.name];
    const { exitCode, out } = await runCommand(importCommand(limits), args, {
      input: erasureLine(),
      env,
    });
    expect([exitCode, out]).toEqual([1, expect.stringContaining(' 1 application removed')]);
  });

  it('removes nothing if it has expired, and is named', async ({ table, run }) => {
    await apply(table, candidate, ['4007']);
    const expired = [1, Math.floor(Date.now() / 1000) - 60].map((expires_at, at) =>
      JSON.stringify({ type: 'erasure', user_id: 'c-1', revision: ERASED_AT + at, expires_at }),
    );
    const { exitCode, err } = await run(['', ...expired.slice(0, 1)]);
    const remark = 'is an erasure that has expired, and removes nothing\n';
    expect([exitCode, err]).toEqual([0, `line 2 ${remark}`]);
    expect((await run(expired.slice(1))).err).toBe(`line 1 ${remark}`);
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('counts once for each candidate, with the greatest revision', async ({ table, proxy }) => {
    await apply(table, candidate, ['4007'], { revision: ERASED_AT + 1 });
    await apply(table, candidate, ['j-2'], { revision: ERASED_AT + 2 });
    const revisions = [ERASED_AT, ERASED_AT + 1, ERASED_AT - 1];
    const input = streamOf(...revisions.map((revision) => erasureLine(revision)));
    await importIntoTable(through(proxy, table), { input, limits, ...removals });
    expect(await leftIn(table)).toMatchObject([{ job_id: 'j-2' }]);
    // One search finds the older application, and two find nothing.
    const searches = proxy.requests.filter(({ operation }) => operation === 'Query');
    expect(searches).toHaveLength(3);
  });

  it('is searched for in the index ten seconds later, which lags', async ({ table }) => {
    const pauses: number[] = [];
    const pause = async (ms: number) => {
      if (pauses.length === 0) await apply(table, candidate, ['4007']);
      pauses.push(ms);
    };
    const options = { input: streamOf(erasureLine()), limits: searchLimits, pause, ...removals };
    await importIntoTable(table, options);
    expect(await leftIn(table)).toEqual([]);
    expect(pauses[0]).toBe(10_000);
  });

  it.for([
    ['revision', { revision: ERASED_AT + 1, expires_at: EXPIRES_AT - 1 }],
    ['expiry', { revision: ERASED_AT - 1, expires_at: EXPIRES_AT + 1 }],
  ] as const)('leaves a greater %s that is stored', async ([, before], { table, run }) => {
    await table.put({ ...erasureItem, ...before });
    expect(await run([erasureLine()])).toMatchObject({ exitCode: 0 });
    const revision = Math.max(ERASED_AT, before.revision);
    const expires_at = Math.max(EXPIRES_AT, before.expires_at);
    expect(await storedIn(table)).toEqual([{ ...erasureItem, revision, expires_at }]);
  });

  it('is the line to continue from if a later line fails', async ({ table, proxy }) => {
    proxy.faultsFor.set('JOB#late', [dynamoError(400, 'AccessDeniedException')]);
    const lines = [...jobLines(210), erasureLine(), ...jobLines(210), jobLine('late')];
    const options = { input: streamOf(...lines), limits, ...removals };
    const error = await importIntoTable(through(proxy, table), options).catch((reason) => reason);
    expect(error).toMatchObject({ nextLine: 211, cause: { name: 'AccessDeniedException' } });
  });

  it('is the line to continue from until its search has ended', async ({ table, proxy }) => {
    proxy.faultsFor.set('by-candidate', [dynamoError(400, 'AccessDeniedException')]);
    const input = streamOf(jobLine('1'), erasureLine(), jobLine('2'));
    const options = { input, limits, ...removals };
    await expect(importIntoTable(through(proxy, table), options)).rejects.toMatchObject({
      nextLine: 2,
      cause: { name: 'AccessDeniedException' },
    });
  });
});

it('an import takes the present from DynamoDB, not from its own machine', async ({
  table,
  proxy,
}) => {
  const hourAgo = Date.now() - 60 * 60_000;
  const slow = through(proxy, table);
  slow.client.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request);
      const date = new Date(hourAgo).toUTCString();
      Object.assign(Object(result.response).headers, { date });
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  const refused: number[] = [];
  const lines = [hourAgo + 30_000, hourAgo + 120_000].map((revision, at) =>
    applicationLine(`c-${at}`, { revision }),
  );
  const onEntry = ({ line }: Entry) => refused.push(line);
  await importIntoTable(slow, { input: streamOf(...lines), onEntry, limits, ...removals });
  expect(refused).toEqual([2]);
});

describe('the line to continue from, after each block', () => {
  const lines = [
    ...Array.from({ length: 250 }, (_, at) => jobLine(`j-${at}`)),
    erasureLine(),
    ...Array.from({ length: 250 }, (_, at) => jobLine(`k-${at}`)),
  ];

  it.for([
    ['past an erasure whose removals are left to do', lines, [201, 251, 251]],
    ['without an erasure', lines.filter((line) => !line.includes('erasure')), [201, 401, 501]],
  ] as const)('is never %s', async ([, input, expected], { table }) => {
    const seen: number[] = [];
    const onProgress = (line: number) => seen.push(line);
    await importIntoTable(table, { input: streamOf(...input), onProgress, limits, ...removals });
    expect(seen).toEqual(expected);
  });
});
