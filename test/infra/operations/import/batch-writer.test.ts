import { Readable } from 'node:stream';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BatchWriter } from '../../../../infra/operations/import/batch-writer.ts';
import {
  ImportStopped,
  importRecords,
} from '../../../../infra/operations/import/import-records.ts';
import { startBusyDatabase } from '../../../support/busy-database.ts';
import { through } from '../../../support/candidates.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { applicationLine, jobLine, jobLines, streamOf } from '../../../support/records.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const backoff = { attempts: 3, baseMs: 1, capMs: 2 };

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

const applicationLines = (count: number) =>
  Array.from({ length: count }, (_, at) => applicationLine(`c-${at}`));

async function countStored(): Promise<number | undefined> {
  const found = await table.client.send(
    new ScanCommand({ TableName: table.name, ConsistentRead: true }),
  );
  return found.Count;
}

describe('importing into a busy table', () => {
  let database: Awaited<ReturnType<typeof startBusyDatabase>>;
  afterEach(() => database.stop());

  const load = (input: Readable) =>
    importRecords({
      input,
      writer: new BatchWriter({ client: database.client, name: table.name }, { backoff }),
    });

  it('sends 25 records at a time', async () => {
    database = await startBusyDatabase(() => 25);
    await load(streamOf(...applicationLines(60)));
    // They are under way at once, and the order in which they arrive is open.
    expect(database.batches.toSorted()).toEqual([10, 25, 25]);
    expect(await countStored()).toBe(60);
  });

  it('has eight batches under way at once, and no more', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect('hang');
    const controller = new AbortController();
    const writer = new BatchWriter(through(proxy, table), { signal: controller.signal });
    const input = streamOf(...applicationLines(500));
    const loading = importRecords({ input, writer, signal: controller.signal });
    const stopped = expect(loading).rejects.toMatchObject({
      line: 1,
      counts: { applications: 0 },
      message: expect.stringContaining('200 more records'),
    });
    await expect.poll(() => proxy.requests.length, { timeout: 60_000 }).toBe(8);
    controller.abort(new Error('enough'));
    await proxy.stop();
    await stopped;
    expect(proxy.requests).toHaveLength(8);
    database = await startBusyDatabase(() => 25);
  });

  it('writes a record only after the one with the same key before it', async () => {
    // Each odd call is throttled once, so that batches finish in another order than they began.
    database = await startBusyDatabase((call) => (call % 2 === 1 ? 0 : 25));
    const lines = Array.from({ length: 400 }, (_, at) =>
      applicationLine(`c-${at % 40}`, { score: at }),
    );
    expect((await load(streamOf(...lines))).applications).toBe(400);
    const { Items: items = [] } = await table.client.send(
      new ScanCommand({ TableName: table.name, ConsistentRead: true }),
    );
    const scores = items.map(({ score }) => Number(score)).toSorted((one, other) => one - other);
    expect(scores).toEqual(Array.from({ length: 40 }, (_, at) => 360 + at));
  });

  it('stops all batches after the first that fails, and all before its line is written', async () => {
    database = await startBusyDatabase((call) => (call === 3 ? 'AccessDeniedException' : 25));
    const stopped = await load(streamOf(...applicationLines(1000))).catch((error) => error);
    expect(stopped).toMatchObject({ cause: { name: 'AccessDeniedException' } });
    expect(database.batches.length).toBeLessThan(20);
    const { Items: items = [] } = await table.client.send(
      new ScanCommand({ TableName: table.name, ConsistentRead: true }),
    );
    const stored = new Set(items.map(({ user_id }) => user_id));
    expect(stopped.counts.applications).toBe(stored.size);
    for (let at = 1; at < stopped.line; at += 1) expect(stored).toContain(`c-${at - 1}`);
    expect(stored).not.toContain(`c-${stopped.line - 1}`);
  });

  it('notices a failure although the input pauses', async () => {
    database = await startBusyDatabase(() => 'AccessDeniedException');
    const input = new Readable({ read: () => undefined });
    input.push(`${applicationLines(26).join('\n')}\n`);
    const stopped = await load(input).catch((error) => error);
    expect(stopped).toMatchObject({ line: 1, cause: { name: 'AccessDeniedException' } });
  });

  it('sends full batches to the end of a long file', async () => {
    database = await startBusyDatabase(() => 25);
    const summary = 'x'.repeat(100_000);
    const lines = Array.from({ length: 60 }, (_, at) => applicationLine(`c-${at}`, { summary }));
    await load(streamOf(...lines));
    expect(database.batches.toSorted()).toEqual([10, 25, 25]);
  });

  it('sends again what is left unprocessed, and only that', async () => {
    database = await startBusyDatabase((call) => (call === 1 ? 20 : 3));
    expect((await load(streamOf(...applicationLines(25)))).applications).toBe(25);
    expect(database.batches).toEqual([25, 5, 2]);
    expect(await countStored()).toBe(25);
  });

  it('continues as long as something is written', async () => {
    database = await startBusyDatabase((call) => (call % 3 === 0 ? 1 : 0));
    expect((await load(streamOf(...applicationLines(10)))).applications).toBe(10);
    expect(database.batches).toHaveLength(30);
  });

  it.each(['ProvisionedThroughputExceededException', 'InternalServerError'])(
    'tries again after %s',
    async (name) => {
      database = await startBusyDatabase((call) => (call <= 2 ? name : 25));
      expect((await load(streamOf(...applicationLines(3)))).applications).toBe(3);
      expect(database.batches).toEqual([3, 3, 3]);
    },
  );

  it('gives up after its attempts, and says what is written and where to continue', async () => {
    database = await startBusyDatabase((call) => (call === 1 ? 25 : call === 2 ? 4 : 0));
    const lines = ['', ...applicationLines(25), '{', ...applicationLines(10)];
    const stopped = await load(streamOf(...lines)).catch((error) => error);
    expect(stopped).toBeInstanceOf(ImportStopped);
    expect(stopped).toMatchObject({
      counts: { jobs: 0, applications: 29, expired: 0, refused: 1 },
      // After a blank line, 25 applications and a refused line. Of the next ten the last four are written.
      line: 28,
      message: expect.stringContaining('line 28'),
      cause: { name: 'TableBusy' },
    });
    expect(database.batches).toEqual([25, 10, 6, 6, 6]);
  });

  it('sends a job again that is throttled, and the others once', async () => {
    database = await startBusyDatabase((call) => (call <= 2 ? 0 : 25));
    const lines = [...jobLines(20), ...applicationLines(5)];
    expect(await load(streamOf(...lines))).toMatchObject({ jobs: 20, applications: 5 });
    expect(database.updates).toBe(22);
    expect(await countStored()).toBe(25);
  });

  it('gives up on jobs too, and says where to continue', async () => {
    database = await startBusyDatabase((call) => (call <= 3 ? 25 : 0));
    const stopped = await load(streamOf(...applicationLines(2), ...jobLines(5))).catch(
      (error) => error,
    );
    // The order in which updates arrive is open.
    expect(stopped).toMatchObject({
      counts: { jobs: 3, applications: 2 },
      line: expect.any(Number),
      cause: { name: 'TableBusy' },
    });
    expect(stopped.line).toBeGreaterThanOrEqual(3);
    expect(stopped.line).toBeLessThanOrEqual(6);
  });

  it.each([
    ['a job', jobLine('1')],
    ['an application', applicationLine('c-1')],
  ])('gives up at once if the table rejects the request to write %s', async (_, line) => {
    database = await startBusyDatabase(() => 'AccessDeniedException');
    const stopped = await load(streamOf(line)).catch((error) => error);
    expect(stopped).toMatchObject({ line: 1, cause: { name: 'AccessDeniedException' } });
    expect(database.batches.length + database.updates).toBe(1);
  });

  it('gives up if the stream breaks, and says where to continue', async () => {
    database = await startBusyDatabase(() => 25);
    const broken = new Error('broken');
    const input = Readable.from(
      (async function* () {
        yield Buffer.from([...jobLines(30), ''].join('\n'));
        throw broken;
      })(),
    );
    const stopped = await load(input).catch((error) => error);
    expect(stopped).toBeInstanceOf(ImportStopped);
    expect(stopped).toMatchObject({ counts: { jobs: 25 }, line: 26, cause: broken });
  });

  it('keeps each request within 16 MB, even if each item is as large as it may be', async () => {
    database = await startBusyDatabase(() => 'AccessDeniedException');
    const lines = Array.from({ length: 5 }, (_, at) =>
      // A control character takes six bytes of JSON and one in the item.
      applicationLine(`c-${at}`, { summary: '\u0001'.repeat(409_000) }),
    );
    await load(streamOf(...lines)).catch(() => undefined);
    expect(new Set(database.batches)).toEqual(new Set([1]));
    expect(Math.max(...database.bytes)).toBeLessThan(16_000_000);
  });

  it('fills a batch with the shortest entries and keeps it within 16 MB', async () => {
    database = await startBusyDatabase(() => 'AccessDeniedException');
    const education = Array.from({ length: 100_000 }, () => ({}));
    const lines = Array.from({ length: 14 }, (_, at) => applicationLine(`c-${at}`, { education }));
    await load(streamOf(...lines)).catch(() => undefined);
    expect(database.batches.toSorted()).toEqual([1, 13]);
    expect(Math.max(...database.bytes)).toBeLessThan(16_000_000);
  });
});
