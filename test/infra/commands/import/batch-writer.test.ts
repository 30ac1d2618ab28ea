import { PassThrough, type Readable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from 'vitest';
import type { Table } from '../../../../infra/commands/cli/table.ts';
import { BatchWriter, type WriterOptions } from '../../../../infra/commands/import/batch-writer.ts';
import { ImportStopped, importRecords } from '../../../../infra/commands/import/import-records.ts';
import { through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test as it } from '../../../support/fixtures.ts';
import { applicationLine, jobLine, streamOf } from '../../../support/records.ts';
import type { TestTable } from '../../../support/table.ts';
import { startBusyTable } from './busy-table.ts';

/** The number of items in a full batch. */
const BATCH_ITEMS = 25;
/** The number of lines whose import takes many batches. */
const MANY_LINES = 1000;
/** Time limits of the writer, in milliseconds: the shortest, and one that no test waits for. */
const AT_ONCE_MS = 1;
const NEVER_MS = 2 ** 30;
/** The time limit for the requests of a busy machine to arrive, in milliseconds. */
const ARRIVAL_MS = 60_000;
/** A time within which an import that need not wait sends its next batch, in milliseconds. */
const SOON_MS = 100;

const applicationLines = (count: number) =>
  Array.from({ length: count }, (_, at) => applicationLine(`c-${at}`));

const removalRecord = (user_id: string) => ({
  type: 'removal',
  job_id: '4007',
  user_id,
  expires_at: 4_102_444_800,
});

async function stored(table: TestTable) {
  const found = await table.client.send(
    new ScanCommand({ TableName: table.name, ConsistentRead: true }),
  );
  return found.Items ?? [];
}

it('has at most eight batches under way at once', async ({ table, proxy }) => {
  proxy.expect('hang');
  const controller = new AbortController();
  const { signal } = controller;
  const writer = new BatchWriter(through(proxy, table), { signal });
  const input = streamOf(...applicationLines(MANY_LINES));
  const stopped = expect(importRecords({ input, writer, signal })).rejects.toThrow('enough');
  await expect.poll(() => proxy.requests.length, { timeout: ARRIVAL_MS }).toBe(8);
  controller.abort(new Error('enough'));
  await proxy.stop();
  await stopped;
  expect(proxy.requests).toHaveLength(8);
});

it('begins more batches only after all eight have ended', async ({ table, proxy }) => {
  const others = Promise.withResolvers<void>();
  const held = Array.from({ length: 7 }, () => ({ respondsAfter: () => others.promise }));
  proxy.expect('none', ...held, 'none');
  const writer = new BatchWriter(through(proxy, table));
  const input = streamOf(...applicationLines(MANY_LINES));
  const ended = importRecords({ input, writer });
  await expect.poll(() => writer.written.applications, { timeout: ARRIVAL_MS }).toBe(BATCH_ITEMS);
  await expect.poll(() => proxy.requests.length, { timeout: ARRIVAL_MS }).toBe(8);
  await sleep(SOON_MS);
  expect(proxy.requests).toHaveLength(8);
  others.resolve();
  await ended;
  expect(writer.written.applications).toBe(MANY_LINES);
});

describe('an import from a pipe that stays open', () => {
  /** Starts an import from a pipe. The test writes lines into the pipe. */
  async function open(writes: Table, options: WriterOptions = {}) {
    const input = new PassThrough();
    const controller = new AbortController();
    const { signal } = controller;
    const writer = new BatchWriter(writes, { ...options, signal });
    const ended = importRecords({ input, writer, signal }).catch((error) => error);
    return { input, writer, ended, stop: () => controller.abort(new Error('Stopped.')) };
  }

  it('writes a batch that is not full after a time, and counts its records', async ({ table }) => {
    const { input, writer, ended } = await open(table, { waitMs: AT_ONCE_MS });
    input.write(`${applicationLine('c-1')}\n${applicationLine('c-2')}\n`);
    await expect.poll(async () => (await stored(table)).length).toBe(2);
    input.write(`${applicationLine('c-3')}\n`);
    await expect.poll(() => writer.written.applications).toBe(3);
    input.end();
    expect(await ended).toBeUndefined();
    expect(writer.written).toMatchObject({ applications: 3 });
  });

  it('writes what it has read when the operator asks the command to end', async ({ table }) => {
    const { input, writer, ended, stop } = await open(table, { waitMs: NEVER_MS });
    input.write(`${applicationLine('c-1')}\n`);
    await expect.poll(() => writer.firstUnwritten).toBe(1);
    stop();
    expect(await ended).toMatchObject({ message: 'Stopped.' });
    expect(writer.written).toMatchObject({ applications: 1 });
    expect(await stored(table)).toHaveLength(1);
  });

  it('ends as soon as a write fails, even if no line follows', async ({ table, proxy }) => {
    proxy.expect(dynamoError(400, 'AccessDeniedException'));
    const { input, ended } = await open(through(proxy, table), { waitMs: AT_ONCE_MS });
    input.write(`${applicationLine('c-1')}\n`);
    expect(await ended).toMatchObject({ cause: { name: 'AccessDeniedException' } });
  });

  it('keeps the order of lines with the same key', async ({ table }) => {
    const { input, writer, ended } = await open(table, { waitMs: AT_ONCE_MS });
    for (let score = 1; score <= 50; score += 1) {
      input.write(`${applicationLine('c-1', { score })}\n`);
      if (score % 7 === 0) await setImmediate();
    }
    input.end();
    expect(await ended).toBeUndefined();
    expect(writer.written).toMatchObject({ applications: 50 });
    expect(await stored(table)).toMatchObject([{ score: 50 }]);
  });
});

describe('an import with --keep-newer', () => {
  const NEWER = 1_800_000_000_000;
  const keep = async (table: Table, input: Readable) => {
    const writer = new BatchWriter(table, { keepsNewer: true });
    await importRecords({ input, writer });
    return writer.written;
  };

  it('replaces nothing newer, and stores the other records', async ({ table }) => {
    const removal = { ...removalRecord('c-3'), revision: NEWER };
    const before = [
      applicationLine('c-1', { revision: NEWER, score: 1 }),
      applicationLine('c-2', { score: 1 }),
      JSON.stringify(removal),
      jobLine('j-1', 'closed'),
    ];
    await importRecords({ input: streamOf(...before), writer: new BatchWriter(table) });
    const lines = [
      // A line without a revision is older than any item with a revision.
      applicationLine('c-1', { score: 2 }),
      applicationLine('c-1', { revision: NEWER - 1, score: 2 }),
      applicationLine('c-2', { score: 2 }),
      applicationLine('c-3', { score: 2 }),
      applicationLine('c-4', { score: 2 }),
      jobLine('j-1', 'draft'),
      jobLine('j-2', 'draft'),
      JSON.stringify({ ...removalRecord('c-1'), revision: NEWER - 1 }),
    ];
    expect(await keep(table, streamOf(...lines))).toMatchObject({
      applications: 2,
      jobs: 1,
      tombstones: 0,
      older: 5,
    });
    const scores = (await stored(table)).map(({ user_id, score, job_id, status, removed }) =>
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
    // A greater revision replaces the application and the removal.
    const later = ['c-1', 'c-3'].map((id) => applicationLine(id, { revision: NEWER + 1 }));
    expect(await keep(table, streamOf(...later))).toMatchObject({ applications: 2, older: 0 });
  });

  it('replaces an application by a newer removal', async ({ table }) => {
    await keep(table, streamOf(applicationLine('c-1', { revision: NEWER })));
    const removal = JSON.stringify({ ...removalRecord('c-1'), revision: NEWER + 1 });
    expect(await keep(table, streamOf(removal))).toMatchObject({ tombstones: 1, older: 0 });
    expect(await stored(table)).toMatchObject([{ removed: true, revision: NEWER + 1 }]);
  });

  it('takes the expiry time of the record, and otherwise keeps the stored one', async ({
    table,
  }) => {
    const [first, second] = [4_000_000_000, 4_000_000_001];
    for (const fields of [{ expires_at: first }, { expires_at: second }, {}]) {
      await keep(table, streamOf(applicationLine('c-1', fields)));
    }
    expect(await stored(table)).toMatchObject([{ expires_at: second }]);
  });

  it('counts a record that is older than the stored item as done', async ({ table }) => {
    await keep(table, streamOf(applicationLine('c-1', { revision: NEWER })));
    const writer = new BatchWriter(table, { keepsNewer: true });
    await importRecords({ input: streamOf(applicationLine('c-1', {})), writer });
    expect(writer.firstUnwritten).toBeUndefined();
  });
});

describe('importing into a busy table', () => {
  /** Starts an import into the busy table. */
  const start = (busy: Table, input: Readable, signal?: AbortSignal) => {
    const writer = new BatchWriter(busy, { signal, pauseMs: AT_ONCE_MS });
    return { writer, ended: importRecords({ input, writer, signal }) };
  };

  /** Returns the error of an import that must stop, and the counts of what it has written. */
  const stop = async (busy: Table, input: Readable, signal?: AbortSignal) => {
    const { writer, ended } = start(busy, input, signal);
    const error = await ended.catch((reason) => reason);
    if (!(error instanceof ImportStopped)) expect.unreachable(`The import ended with ${error}.`);
    return { error, written: writer.written };
  };

  it('writes records with the same key in the order of their lines', async ({ table }) => {
    // Every other request leaves items unprocessed, so that the batches end in a different order.
    using busy = await startBusyTable(table, (call) => (call % 2 === 1 ? 5 : BATCH_ITEMS));
    const lines = Array.from({ length: 400 }, (_, at) =>
      applicationLine(`c-${at % 40}`, { score: at }),
    );
    const { writer, ended } = start(busy, streamOf(...lines));
    await ended;
    expect(writer.written.applications).toBe(400);
    const scores = (await stored(table)).map(({ score }) => Number(score));
    expect(scores.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, at) => 360 + at),
    );
  });

  it('stops after the first batch that fails, and has written every line before nextLine', async ({
    table,
  }) => {
    using busy = await startBusyTable(table, (call) =>
      call === 3 ? 'AccessDeniedException' : BATCH_ITEMS,
    );
    const { error, written: counts } = await stop(busy, streamOf(...applicationLines(MANY_LINES)));
    expect(error.cause).toMatchObject({ name: 'AccessDeniedException' });
    expect(busy.batches.length).toBeLessThan(20);
    const written = new Set((await stored(table)).map(({ user_id }) => user_id));
    expect(counts.applications).toBe(written.size);
    for (let at = 1; at < error.nextLine; at += 1) expect(written).toContain(`c-${at - 1}`);
    expect(written).not.toContain(`c-${error.nextLine - 1}`);
  });

  it('counts the items that a batch wrote, and names the next line after blank and refused lines', async ({
    table,
  }) => {
    const outcomes = [BATCH_ITEMS, 4, 'AccessDeniedException'];
    using busy = await startBusyTable(table, (call) => outcomes[call - 1] ?? 0);
    const lines = ['', ...applicationLines(BATCH_ITEMS), '{', ...applicationLines(10)];
    expect(await stop(busy, streamOf(...lines))).toMatchObject({
      written: { jobs: 0, applications: 29, expired: 0 },
      // The busy database has written only the last four of the last ten applications.
      error: { nextLine: 28 },
    });
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
    // A control character takes six bytes in JSON and one byte in the item.
    const large = { summary: '\u0001'.repeat(409_000) };
    const lines = Array.from({ length: 8 }, (_, at) => applicationLine(`c-${at}`, large));
    await start(busy, streamOf(...lines)).ended;
    expect(busy.batches).toHaveLength(8);
    expect(busy.mostBytes).toBeGreaterThan(2_000_000);
    expect(busy.mostBytes).toBeLessThan(4_000_000);
  });

  it('counts the bytes of each batch separately', async ({ table }) => {
    using busy = await startBusyTable(table, () => BATCH_ITEMS);
    // The bytes of all ten batches exceed the limit for one batch.
    const lines = Array.from({ length: 10 * BATCH_ITEMS }, (_, at) =>
      applicationLine(`c-${at}`, { summary: 'x'.repeat(20_000) }),
    );
    await start(busy, streamOf(...lines)).ended;
    expect(busy.batches).toEqual(Array(10).fill(BATCH_ITEMS));
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
