import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { applicationKey, candidateKey, erasureKey } from '../../../../functions/store/keys.ts';
import { recordErasure } from '../../../../infra/operator/candidate/record-erasure.ts';
import { importCommand } from '../../../../infra/operator/import/import.ts';
import { importIntoTable } from '../../../../infra/operator/import/import-table.ts';
import { zeroCounts } from '../../../../infra/records/import-records.ts';
import type { Table } from '../../../../infra/records/table.ts';
import { apply, leftIn, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { applicationLine, jobLine, load, streamOf } from '../../../support/records.ts';

const ERASED = 1_790_000_000_000;
const EXPIRES_AT = 4_102_444_800;
const limits = { pauseMs: 0, idleSearches: 5, lateWriteMs: 0 };
const nothing = async () => undefined;
const removals = { beforeRemoval: nothing, onRemoved: nothing, onStay: nothing };
const WAITING = 'waiting 0 s for earlier live writes to end\n';
const candidate = { tenant: 'default', id: 'c-1' };
const throttled = dynamoError(400, 'ProvisionedThroughputExceededException');

const erasureLine = (revision = ERASED, user_id = 'c-1') =>
  JSON.stringify({ type: 'erasure', user_id, revision, expires_at: EXPIRES_AT });
const erasureItem = { ...erasureKey('default', 'c-1'), revision: ERASED, expires_at: EXPIRES_AT };

const it = test.extend('run', ({ table }) => (lines: readonly string[], ...options: string[]) => {
  const args = ['-', '--table', table.name, ...options];
  return runCommand(importCommand(limits), args, { input: lines.join('\n') });
});

describe.each([[[]], [['--keep-newer']]])(
  'after the erasure of a candidate, an import %j',
  (options) => {
    it('names each line that is not newer, whatever its job is, and writes the others', async ({
      table,
      run,
    }) => {
      await table.put(erasureItem);
      const lines = [
        applicationLine('c-1'),
        applicationLine('c-1', { job_id: 'j-2', revision: ERASED - 1 }),
        applicationLine('c-1', { job_id: 'j-3', revision: ERASED }),
        applicationLine('c-1', { job_id: 'j-4', revision: ERASED + 1 }),
        applicationLine('c-2'),
        applicationLine('c-1', { job_id: 'j-5', tenant: 'acme' }),
      ];
      const { exitCode, out, err } = await run(lines, ...options);
      const older = [1, 2, 3].map(
        (line) => `line ${line}: older than the erasure of its candidate\n`,
      );
      expect([exitCode, err]).toEqual([0, older.join('')]);
      expect(out).toBe(
        '0 jobs and 3 applications written, 3 lines older than what is stored, 0 lines refused.\n',
      );
      const left = (await leftIn(table)).map(({ job_id, user_id }) => `${job_id} ${user_id}`);
      expect(left.toSorted()).toEqual(['4007 c-2', 'j-4 c-1', 'j-5 c-1']);
    });

    it('refuses a revision ahead of the present time, which says nothing about the erasure', async ({
      table,
      folder,
      run,
    }) => {
      await table.put(erasureItem);
      const ahead = applicationLine('c-1', { revision: Date.now() + 60_000 });
      const rejects = join(folder, 'rejects.ndjson');
      const { exitCode, out, err } = await run([ahead], ...options, '--rejects', rejects);
      expect([exitCode, out]).toEqual([1, expect.stringContaining('0 applications')]);
      expect(err).toBe(
        'line 1: /revision must not be ahead of the present time, because the candidate was erased and only the time shows what came later\n' +
          `Correct the refused lines in ${rejects}, and import that file.\n`,
      );
      expect(readFileSync(rejects, 'utf8')).toBe(`${ahead}\n`);
      expect(await leftIn(table)).toEqual([]);
    });

    it('writes a revision ahead of the present time of a candidate who was not erased', async ({
      run,
    }) => {
      const ahead = applicationLine('c-1', { revision: Date.now() + 60_000 });
      expect(await run([ahead], ...options)).toMatchObject({ exitCode: 0, err: '' });
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
    const newer = applicationLine('c-1', { job_id: 'j-2', revision: ERASED + 1 });
    const old = applicationLine('c-1', { revision: ERASED });
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
    await apply(table, candidate, ['4007', 'j-1'], { revision: ERASED });
    await apply(table, candidate, ['j-2'], { resume_url });
    await apply(table, candidate, ['j-3'], { revision: ERASED + 1 });
    await apply(table, { ...candidate, id: 'c-2' }, ['4007']);
    const { exitCode, out, err } = await run([erasureLine()]);
    const removed = ['4007', 'j-1', 'j-2'].map(
      (job) =>
        `removed: candidate "c-1", job "${job}" of tenant "default", older than the erasure\n`,
    );
    const file = `"${resume_url}" is left in S3, without its application\n`;
    expect(exitCode).toBe(0);
    expect(err).toMatch(WAITING);
    expect(linesOf(err)).toEqual(linesOf([WAITING, ...removed, file].join('')));
    expect(out).toBe(
      '0 jobs and 0 applications and 1 tombstone written, 0 lines refused. 3 applications removed, older than the erasure of the candidate.\n',
    );
    const left = (await leftIn(table)).map(({ job_id, user_id }) => `${job_id} ${user_id}`);
    expect(left).toEqual(['4007 c-2', 'j-3 c-1']);
  });

  const linesOf = (text: string) => text.split('\n').toSorted();

  it('names what stays because it belongs to somebody else', async ({ table, run }) => {
    await apply(table, { ...candidate, id: 'c-2' }, ['4007']);
    const [item] = await leftIn(table);
    await table.put({ ...item, ...candidateKey('default', 'c-1') });
    expect((await run([erasureLine()])).err).toBe(
      `${WAITING}left alone: candidate "c-2", job "4007" of tenant "default", which the index lists under the candidate, but which names somebody else\n`,
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
      JSON.stringify({ type: 'erasure', user_id: 'c-1', revision: ERASED + at, expires_at }),
    );
    const { exitCode, err } = await run(['', ...expired.slice(0, 1)]);
    const remark = 'this erasure has expired, and removes no application\n';
    expect([exitCode, err]).toEqual([0, `line 2: ${remark}`]);
    expect((await run(expired.slice(1))).err).toBe(`line 1: ${remark}`);
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('counts once for each candidate, with the greatest revision', async ({ table, proxy }) => {
    await apply(table, candidate, ['4007'], { revision: ERASED + 1 });
    await apply(table, candidate, ['j-2'], { revision: ERASED + 2 });
    const revisions = [ERASED, ERASED + 1, ERASED - 1];
    const input = streamOf(...revisions.map((revision) => erasureLine(revision)));
    await importIntoTable(through(proxy, table), { input, limits, ...removals });
    expect(await leftIn(table)).toMatchObject([{ job_id: 'j-2' }]);
    // One search finds the older application, and two find nothing.
    const searches = proxy.requests.filter(({ operation }) => operation === 'Query');
    expect(searches).toHaveLength(3);
  });

  it('finds what other programs were writing when it was stored, ten seconds later', async ({
    table,
  }) => {
    const pauses: number[] = [];
    const pause = async (ms: number) => {
      if (pauses.length === 0) await apply(table, candidate, ['4007']);
      pauses.push(ms);
    };
    const late = { ...limits, lateWriteMs: 10_000 };
    const input = streamOf(erasureLine());
    const remarks: string[] = [];
    const onRemark = (remark: string) => remarks.push(remark);
    const options = { input, limits: late, pause, ...removals, onRemark };
    await importIntoTable(table, options);
    expect(await leftIn(table)).toEqual([]);
    expect(pauses[0]).toBe(10_000);
    expect(remarks).toEqual(['waiting 10 s for earlier live writes to end']);
  });

  it.for([
    ['revision', { revision: ERASED + 1 }],
    ['expiry', { expires_at: EXPIRES_AT + 1 }],
  ] as const)('leaves a greater %s that is stored', async ([, greater], { table, run }) => {
    await table.put({ ...erasureItem, ...greater });
    expect(await run([erasureLine()])).toMatchObject({ exitCode: 0 });
    expect(await storedIn(table)).toEqual([{ ...erasureItem, ...greater }]);
    expect(await run([erasureLine(ERASED + 2)])).toMatchObject({ exitCode: 0 });
    expect(await storedIn(table)).toEqual([{ ...erasureItem, ...greater, revision: ERASED + 2 }]);
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

describe('an import reads the erasures of a block', () => {
  it('consistently, once for each candidate, with up to a hundred keys in a request', async ({
    table,
    proxy,
  }) => {
    const ids = Array.from({ length: 120 }, (_, at) => `c-${at}`);
    const twice = ids.slice(0, 50).map((id) => applicationLine(id, { job_id: 'j-2' }));
    await load(through(proxy, table), streamOf(...ids.map((id) => applicationLine(id)), ...twice));
    const reads = proxy.requests.filter(({ operation }) => operation === 'BatchGetItem');
    const requests = reads.map(({ input }) => Object(input.RequestItems)[table.name]);
    expect(requests.map(({ Keys }) => Keys.length).toSorted()).toEqual([100, 20]);
    for (const { ConsistentRead } of requests) expect(ConsistentRead).toBe(true);
  });

  const unprocessed = (table: Table, ...ids: string[]): Fault => {
    const Keys = ids.map((id) => {
      const { pk, sk } = erasureKey('default', id);
      return { pk: { S: pk }, sk: { S: sk } };
    });
    const UnprocessedKeys = { [table.name]: { Keys } };
    return {
      status: 200,
      body: JSON.stringify({ Responses: {}, UnprocessedKeys, ConsumedCapacity: [] }),
    };
  };

  it('again if DynamoDB leaves keys unprocessed', async ({ table, proxy }) => {
    await table.put(erasureItem);
    proxy.faultsFor.set('ERASURE', [unprocessed(table, 'c-1', 'c-2'), 'none']);
    const lines = ['c-1', 'c-2'].map((id) => applicationLine(id));
    const { counts } = await load(through(proxy, table), streamOf(...lines));
    expect(counts).toMatchObject({ applications: 1, older: 1 });
  });

  it('and stops if the response has lost its content', async ({ table, proxy }) => {
    proxy.faultsFor.set('ERASURE', [{ status: 200, body: '{}' }]);
    const loading = load(through(proxy, table), streamOf(applicationLine('c-1')));
    await expect(loading).rejects.toThrow('DynamoDB sent an empty response.');
    expect(await storedIn(table)).toEqual([]);
  });
});

describe.each([false, true])('an import into a throttled table (keepsNewer: %j)', (keepsNewer) => {
  /** Calls `passTime` with a function that advances the clock by more than a write may take. */
  const importAmid = async (table: Table, passTime: (pass: () => void) => void) => {
    let passed = 0;
    const clock = () => ({ date: passed, monotonic: passed });
    passTime(() => {
      passed += 5001;
    });
    const counts = zeroCounts();
    const remarks: unknown[] = [];
    const onRemark = (remark: string) => remarks.push(remark);
    const input = streamOf(applicationLine('c-1'));
    const options = { input, counts, onRemark, clock, keepsNewer, limits, ...removals };
    const ended = await importIntoTable(table, options).catch((error) => error);
    return { counts, remarks, ended };
  };
  /** Text that occurs only in requests that write. */
  const WRITE = keepsNewer ? 'UpdateExpression' : 'PutRequest';

  it('reads the erasures again before a late write, and stores nothing that was erased meanwhile', async ({
    table,
    proxy,
  }) => {
    const { counts, remarks } = await importAmid(through(proxy, table, 10), (pass) => {
      const erase = async () => {
        pass();
        await recordErasure(table, candidate);
      };
      proxy.faultsFor.set(WRITE, [{ ...throttled, before: erase }, 'none']);
    });
    expect(remarks).toEqual(['line 1: older than the erasure of its candidate']);
    expect(counts).toMatchObject({ applications: 0, older: 1 });
    expect(await leftIn(table)).toEqual([]);
  });

  it('writes late what was not erased', async ({ table, proxy }) => {
    const { counts } = await importAmid(through(proxy, table, 10), (pass) => {
      proxy.faultsFor.set(WRITE, [{ ...throttled, before: async () => pass() }, 'none']);
    });
    expect(counts).toMatchObject({ applications: 1, older: 0 });
    expect(await table.read(applicationKey('default', '4007', 'c-1'))).toBeDefined();
    const operations = proxy.requests.map(({ operation }) => operation);
    expect(operations.filter((one) => one === 'BatchGetItem')).toHaveLength(2);
  });

  it('stops if nothing can be written in time', async ({ table, proxy }) => {
    const { ended } = await importAmid(through(proxy, table, 10), (pass) => {
      proxy.faultsFor.set(WRITE, [{ ...throttled, before: async () => pass() }]);
    });
    expect(ended).toMatchObject({ nextLine: 1, message: expect.stringContaining('5000 ms') });
    const operations = proxy.requests.map(({ operation }) => operation);
    expect(operations.filter((one) => one === 'BatchGetItem')).toHaveLength(6);
  });
});
