import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../../../infra/commands/cli/table.ts';
import { BatchWriter, type WriterOptions } from '../../../../infra/commands/import/batch-writer.ts';
import { ImportStopped, importRecords } from '../../../../infra/commands/import/import-records.ts';
import { through } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { applicationLine, jobLine, streamOf } from '../../../support/records.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';
import { startBusyDatabase } from './busy-database.ts';

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

const applicationLines = (count: number) =>
  Array.from({ length: count }, (_, at) => applicationLine(`c-${at}`));

const removalRecord = (user_id: string) => ({
  type: 'removal',
  job_id: '4007',
  user_id,
  expires_at: 4_102_444_800,
});

async function stored() {
  const found = await table.client.send(
    new ScanCommand({ TableName: table.name, ConsistentRead: true }),
  );
  return found.Items ?? [];
}

it('has eight batches under way at once, and no more', async () => {
  const proxy = await FaultyProxy.start();
  proxy.expect('hang');
  const controller = new AbortController();
  const { signal } = controller;
  const writer = new BatchWriter(through(proxy, table), { signal });
  const input = streamOf(...applicationLines(500));
  const stopped = expect(importRecords({ input, writer, signal })).rejects.toThrow('enough');
  await expect.poll(() => proxy.requests.length, { timeout: 60_000 }).toBe(8);
  controller.abort(new Error('enough'));
  await proxy.stop();
  await stopped;
  expect(proxy.requests).toHaveLength(8);
});

describe('an import from a pipe that stays open', () => {
  /** Imports from a pipe into which the test writes lines. */
  async function open(writes: Table, options: WriterOptions = {}) {
    const input = new PassThrough();
    const controller = new AbortController();
    const { signal } = controller;
    const writer = new BatchWriter(writes, { ...options, signal });
    const ended = importRecords({ input, writer, signal }).catch((error) => error);
    return { input, writer, ended, stop: () => controller.abort(new Error('Stopped.')) };
  }

  it('writes what has waited, and counts it', async () => {
    const { input, writer, ended } = await open(table, { waitMs: 1 });
    input.write(`${applicationLine('c-1')}\n${applicationLine('c-2')}\n`);
    await expect.poll(async () => (await stored()).length).toBe(2);
    input.write(`${applicationLine('c-3')}\n`);
    await expect.poll(() => writer.written.applications).toBe(3);
    input.end();
    expect(await ended).toMatchObject({ applications: 3 });
  });

  it('writes what it has read when it is asked to end', async () => {
    const { input, writer, ended, stop } = await open(table, { waitMs: 2 ** 30 });
    input.write(`${applicationLine('c-1')}\n`);
    await expect.poll(() => writer.firstUnwritten).toBe(1);
    stop();
    expect(await ended).toMatchObject({ message: 'Stopped.', counts: { applications: 1 } });
    expect(await stored()).toHaveLength(1);
  });

  it('ends as soon as a write fails, although no line follows', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect(dynamoError(400, 'AccessDeniedException'));
    const { input, ended } = await open(through(proxy, table), { waitMs: 1 });
    input.write(`${applicationLine('c-1')}\n`);
    expect(await ended).toMatchObject({ cause: { name: 'AccessDeniedException' } });
    await proxy.stop();
  });

  it('keeps the order of lines with one key', async () => {
    const { input, ended } = await open(table, { waitMs: 0 });
    for (let score = 1; score <= 50; score += 1) {
      input.write(`${applicationLine('c-1', { score })}\n`);
      if (score % 7 === 0) await setImmediate();
    }
    input.end();
    expect(await ended).toMatchObject({ applications: 50 });
    expect(await stored()).toMatchObject([{ score: 50 }]);
  });
});

describe('an import that keeps what is newer', () => {
  const NEWER = 1_800_000_000_000;
  const keep = (input: Readable) =>
    importRecords({ input, writer: new BatchWriter(table, { keepsNewer: true }) });

  it('overwrites nothing newer, and stores the rest', async () => {
    const removal = { ...removalRecord('c-3'), revision: NEWER };
    const before = [
      applicationLine('c-1', { revision: NEWER, score: 1 }),
      applicationLine('c-2', { score: 1 }),
      JSON.stringify(removal),
      jobLine('j-1', 'closed'),
    ];
    await importRecords({ input: streamOf(...before), writer: new BatchWriter(table) });
    const lines = [
      // Without a revision, a line is older than whatever has one.
      applicationLine('c-1', { score: 2 }),
      applicationLine('c-1', { revision: NEWER - 1, score: 2 }),
      applicationLine('c-2', { score: 2 }),
      applicationLine('c-3', { score: 2 }),
      applicationLine('c-4', { score: 2 }),
      jobLine('j-1', 'draft'),
      jobLine('j-2', 'draft'),
      JSON.stringify({ ...removalRecord('c-1'), revision: NEWER - 1 }),
    ];
    expect(await keep(streamOf(...lines))).toMatchObject({
      applications: 2,
      jobs: 1,
      tombstones: 0,
      older: 5,
    });
    const scores = (await stored()).map(({ user_id, score, job_id, status, removed }) =>
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
    // A greater revision replaces both.
    const later = ['c-1', 'c-3'].map((id) => applicationLine(id, { revision: NEWER + 1 }));
    expect(await keep(streamOf(...later))).toMatchObject({ applications: 2, older: 0 });
  });
});

describe('importing into a busy table', () => {
  let database: Awaited<ReturnType<typeof startBusyDatabase>>;
  afterEach(() => database.stop());

  /** Imports into the busy database. */
  const load = (input: Readable, signal?: AbortSignal) => {
    const busyTable = { client: database.client, name: table.name };
    const writer = new BatchWriter(busyTable, { signal, pauseMs: 1 });
    return importRecords({ input, writer, signal });
  };

  /** Returns the error of an import that must stop. */
  const stop = (input: Readable, signal?: AbortSignal): Promise<ImportStopped> =>
    load(input, signal).then(
      () => expect.unreachable('The import did not stop.'),
      (error) => (error instanceof ImportStopped ? error : expect.unreachable(`${error}`)),
    );

  it('writes a record only after the one with the same key before it', async () => {
    // Each odd call leaves something, so that batches finish in another order than they began.
    database = await startBusyDatabase((call) => (call % 2 === 1 ? 5 : 25));
    const lines = Array.from({ length: 400 }, (_, at) =>
      applicationLine(`c-${at % 40}`, { score: at }),
    );
    expect((await load(streamOf(...lines))).applications).toBe(400);
    const scores = (await stored()).map(({ score }) => Number(score));
    expect(scores.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, at) => 360 + at),
    );
  });

  it('stops all batches after the first that fails, and all before its line is written', async () => {
    database = await startBusyDatabase((call) => (call === 3 ? 'AccessDeniedException' : 25));
    const { cause, counts, nextLine } = await stop(streamOf(...applicationLines(1000)));
    expect(cause).toMatchObject({ name: 'AccessDeniedException' });
    expect(database.batches.length).toBeLessThan(20);
    const written = new Set((await stored()).map(({ user_id }) => user_id));
    expect(counts.applications).toBe(written.size);
    for (let at = 1; at < nextLine; at += 1) expect(written).toContain(`c-${at - 1}`);
    expect(written).not.toContain(`c-${nextLine - 1}`);
  });

  it('counts blank and refused lines in the line to continue from, and what a batch wrote', async () => {
    database = await startBusyDatabase((call) => [25, 4, 'AccessDeniedException'][call - 1] ?? 0);
    const lines = ['', ...applicationLines(25), '{', ...applicationLines(10)];
    expect(await stop(streamOf(...lines))).toMatchObject({
      counts: { jobs: 0, applications: 29, expired: 0, refused: 1 },
      // Of the last ten applications the last four are written.
      nextLine: 28,
    });
  });

  it('stops after Ctrl-C while items are left unprocessed', async () => {
    database = await startBusyDatabase(() => 0);
    const controller = new AbortController();
    const stopped = stop(streamOf(applicationLine('c-1')), controller.signal);
    await expect.poll(() => database.batches.length).toBeGreaterThan(3);
    controller.abort(new Error('Stopped by SIGINT.'));
    expect(await stopped).toMatchObject({ message: 'Stopped by SIGINT.', nextLine: 1 });
  });

  it('has no more than 4 MB of large lines under way, in requests within 16 MB', async () => {
    database = await startBusyDatabase(() => 25);
    // A control character takes six bytes of JSON and one in the item.
    const large = { summary: '\u0001'.repeat(409_000) };
    const lines = Array.from({ length: 8 }, (_, at) => applicationLine(`c-${at}`, large));
    await load(streamOf(...lines));
    expect(database.batches).toHaveLength(8);
    expect(database.mostBytes).toBeGreaterThan(2_000_000);
    expect(database.mostBytes).toBeLessThan(4_000_000);
  });

  it('counts the bytes of a batch from its own beginning', async () => {
    database = await startBusyDatabase(() => 25);
    // Ten batches of 25 lines: the bytes of all of them would not fit at once.
    const lines = Array.from({ length: 250 }, (_, at) =>
      applicationLine(`c-${at}`, { summary: 'x'.repeat(20_000) }),
    );
    await load(streamOf(...lines));
    expect(database.batches).toEqual(Array(10).fill(25));
  });

  it('makes of the shortest entries a request less than four times as long: 4 MB of lines fit', async () => {
    database = await startBusyDatabase(() => 'AccessDeniedException');
    const line = applicationLine('c-1', { education: Array.from({ length: 10_000 }, () => ({})) });
    await stop(streamOf(line));
    expect(database.bytes[0]).toBeLessThan(4 * Buffer.byteLength(line));
  });
});
