import type { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { ImportStopped, importRecords, zeroCounts } from '../../../infra/records/import-records.ts';
import type { Table } from '../../../infra/records/table.ts';
import { blockWriter } from '../../../infra/records/write-block.ts';
import { storedIn, through } from '../../support/candidates.ts';
import { dynamoError } from '../../support/faults.ts';
import { test as it } from '../../support/fixtures.ts';
import { applicationLine, jobLine, jobLines, load, streamOf } from '../../support/records.ts';
import type { TestTable } from '../../support/table.ts';
import { startBusyTable } from './busy-table.ts';

/** BatchWriteItem's limit. */
const BATCH_ITEMS = 25;
const MANY_LINES = 1000;
const AT_ONCE_MS = 1;

const applicationLines = (count: number) =>
  Array.from({ length: count }, (_, at) => applicationLine(`c-${at}`));

describe('a block under way', () => {
  it.for([
    ['eight batches of applications', applicationLines(MANY_LINES), false, 8],
    ['forty jobs', jobLines(MANY_LINES), false, 40],
    ['forty applications with --keep-newer', applicationLines(MANY_LINES), true, 40],
  ] as const)('has at most %s at once', async ([, lines, keepsNewer, most], { table, proxy }) => {
    for (const name of ['PutRequest', 'UpdateExpression']) proxy.faultsFor.set(name, ['hang']);
    const write = blockWriter(through(proxy, table), { keepsNewer });
    const stopped = importRecords({ input: streamOf(...lines), write }).catch((error) => error);
    const writes = () => proxy.requests.filter(({ operation }) => operation !== 'BatchGetItem');
    await expect.poll(() => writes().length).toBe(most);
    await proxy.stop();
    expect(await stopped).toBeInstanceOf(ImportStopped);
    expect(writes()).toHaveLength(most);
  });
});

describe('an import with --keep-newer', () => {
  const NEWER = 1_800_000_000_000;
  const removalLine = (user_id: string, revision: number) =>
    JSON.stringify({
      type: 'removal',
      job_id: '4007',
      user_id,
      revision,
      expires_at: 4_102_444_800,
    });
  const keep = async (table: Table, ...lines: string[]) => {
    const counts = zeroCounts();
    const write = blockWriter(table, { keepsNewer: true });
    await importRecords({ input: streamOf(...lines), write, counts });
    return counts;
  };

  it('replaces nothing newer, and stores the other records', async ({ table }) => {
    const before = [
      applicationLine('c-1', { revision: NEWER, score: 1 }),
      applicationLine('c-2', { score: 1 }),
      removalLine('c-3', NEWER),
      jobLine('j-1', 'closed'),
    ];
    await load(table, streamOf(...before));
    const lines = [
      // Lines without a revision count as older than any item with one.
      applicationLine('c-1', { score: 2 }),
      applicationLine('c-1', { revision: NEWER - 1, score: 2 }),
      applicationLine('c-2', { score: 2 }),
      applicationLine('c-3', { score: 2 }),
      applicationLine('c-4', { score: 2 }),
      jobLine('j-1', 'draft'),
      jobLine('j-2', 'draft'),
      removalLine('c-1', NEWER - 1),
    ];
    expect(await keep(table, ...lines)).toMatchObject({
      applications: 2,
      jobs: 1,
      tombstones: 0,
      older: 5,
    });
    const scores = (await storedIn(table)).map(({ user_id, score, job_id, status, removed }) =>
      [user_id ?? job_id, score ?? status ?? removed].join(' '),
    );
    expect(scores.toSorted()).toEqual([
      ' true',
      'c-1 1',
      'c-2 2',
      'c-4 2',
      'j-1 closed',
      'j-2 draft',
    ]);
    const later = ['c-1', 'c-3'].map((id) => applicationLine(id, { revision: NEWER + 1 }));
    expect(await keep(table, ...later)).toMatchObject({ applications: 2, older: 0 });
  });

  it('replaces an application by a newer removal', async ({ table }) => {
    await keep(table, applicationLine('c-1', { revision: NEWER }));
    const counts = await keep(table, removalLine('c-1', NEWER + 1));
    expect(counts).toMatchObject({ tombstones: 1, older: 0 });
    expect(await storedIn(table)).toMatchObject([{ removed: true, revision: NEWER + 1 }]);
  });

  it('takes the expiry time of the record, and otherwise keeps the stored one', async ({
    table,
  }) => {
    const [first, second] = [4_000_000_000, 4_000_000_001];
    for (const fields of [{ expires_at: first }, { expires_at: second }, {}]) {
      await keep(table, applicationLine('c-1', fields));
    }
    expect(await storedIn(table)).toMatchObject([{ expires_at: second }]);
  });

  it('counts an older record as done when it names the line to continue from', async ({
    table,
    proxy,
  }) => {
    await keep(table, applicationLine('c-1', { revision: NEWER }));
    proxy.faultsFor.set('APPLICATION#c-2', [dynamoError(400, 'AccessDeniedException')]);
    const stopped = keep(through(proxy, table), applicationLine('c-1'), applicationLine('c-2'));
    await expect(stopped).rejects.toMatchObject({ nextLine: 2 });
  });
});

describe('importing into a busy table', () => {
  const start = (busy: Table, input: Readable, signal?: AbortSignal) => {
    const counts = zeroCounts();
    const write = blockWriter(busy, { signal, pauseMs: AT_ONCE_MS });
    return { counts, ended: importRecords({ input, write, counts, signal }) };
  };

  const stop = async (busy: Table, input: Readable, signal?: AbortSignal) => {
    const { counts, ended } = start(busy, input, signal);
    const error = await ended.catch((reason) => reason);
    if (!(error instanceof ImportStopped)) expect.unreachable(`The import ended with ${error}.`);
    return { error, counts };
  };

  const idsIn = async (table: TestTable) =>
    new Set((await storedIn(table)).map(({ user_id }) => user_id));

  it('writes records with the same key in the order of their lines', async ({ table }) => {
    // Some items stay unprocessed, so that the batches do not end in the order of their lines.
    using busy = await startBusyTable(table, (call) => (call % 2 === 1 ? 5 : BATCH_ITEMS));
    const lines = Array.from({ length: 400 }, (_, at) =>
      applicationLine(`c-${at % 40}`, { score: at }),
    );
    const { counts, ended } = start(busy, streamOf(...lines));
    await ended;
    expect(counts).toMatchObject({ applications: 40, repeated: 360 });
    const scores = (await storedIn(table)).map(({ score }) => Number(score));
    expect(scores.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, at) => 360 + at),
    );
  });

  it('stops after the first batch that fails, and has written every line before nextLine', async ({
    table,
  }) => {
    using busy = await startBusyTable(table, (call) =>
      call === 11 ? 'AccessDeniedException' : BATCH_ITEMS,
    );
    const { error, counts } = await stop(busy, streamOf(...applicationLines(MANY_LINES)));
    expect(error.cause).toMatchObject({ name: 'AccessDeniedException' });
    expect(busy.batches.length).toBeLessThanOrEqual(16);
    const written = await idsIn(table);
    expect(counts.applications).toBe(written.size);
    expect(error.nextLine).toBeGreaterThan(200);
    for (let at = 1; at < error.nextLine; at += 1) expect(written).toContain(`c-${at - 1}`);
    expect(written).not.toContain(`c-${error.nextLine - 1}`);
  });

  it('counts the items that a batch wrote, and names the next line after blank and refused lines', async ({
    table,
  }) => {
    // The first batch to arrive is written in full, the second only up to its fifth item.
    using busy = await startBusyTable(table, (call) =>
      call === 1 ? BATCH_ITEMS : call === 2 ? 5 : 'AccessDeniedException',
    );
    const lines = ['', ...applicationLines(BATCH_ITEMS), '{', ...applicationLines(10)];
    const { error, counts } = await stop(busy, streamOf(...lines));
    expect(counts).toMatchObject({ jobs: 0, applications: 25, repeated: 5, refused: 1 });
    expect(error.nextLine).toBe(28);
  });

  it('stops after Ctrl-C while items are left unprocessed', async ({ table }) => {
    using busy = await startBusyTable(table, () => 0);
    const controller = new AbortController();
    const stopped = stop(busy, streamOf(applicationLine('c-1')), controller.signal);
    await expect.poll(() => busy.batches.length).toBeGreaterThan(3);
    controller.abort(new Error('Stopped by SIGINT.'));
    expect((await stopped).error).toMatchObject({ message: 'Stopped by SIGINT.', nextLine: 1 });
  });

  it('has at most 4 MB of large lines under way at once', async ({ table }) => {
    using busy = await startBusyTable(table, () => BATCH_ITEMS);
    // Control characters take six bytes in JSON and one in the item.
    const large = { summary: '\u0001'.repeat(409_000) };
    const lines = Array.from({ length: 8 }, (_, at) => applicationLine(`c-${at}`, large));
    await start(busy, streamOf(...lines)).ended;
    expect(busy.batches).toHaveLength(8);
    expect(busy.mostBytes).toBeGreaterThan(2_000_000);
    expect(busy.mostBytes).toBeLessThan(4_000_000);
  });

  it('sends requests less than four times as long as their lines, so that 4 MB of lines fit into 16 MB', async ({
    table,
  }) => {
    using busy = await startBusyTable(table, () => 'AccessDeniedException');
    const line = applicationLine('c-1', { education: Array.from({ length: 10_000 }, () => ({})) });
    await stop(busy, streamOf(line));
    expect(busy.bytes[0]).toBeLessThan(4 * Buffer.byteLength(line));
  });
});
