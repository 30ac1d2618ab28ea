import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { applicationKey, jobKey } from '../../../../functions/store/keys.ts';
import { WriteStopped } from '../../../../infra/operations/import/batch-writer.ts';
import { through } from '../../../support/candidates.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import {
  applicationLine,
  jobLine,
  jobLines,
  jobRecord,
  load,
  streamOf,
} from '../../../support/records.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const SAMPLE = new URL('../../../../infra/local/sample-data.ndjson', import.meta.url);

type Members = Record<string, unknown>;

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

async function stored(): Promise<Members[]> {
  const found = await table.client.send(
    new ScanCommand({ TableName: table.name, ConsistentRead: true }),
  );
  return found.Items ?? [];
}

describe('importing records', () => {
  it('writes the good lines and refuses the bad ones by number and reason', async () => {
    const lines = ['', jobLine('1'), '{', jobLine('2', 'open'), applicationLine('c'), ''];
    expect(await load(table, streamOf(...lines))).toEqual({
      counts: { jobs: 1, applications: 1, expired: 0, refused: 2 },
      refused: [
        [3, 'the line is not JSON'],
        [4, '/status must be one of published, closed, archived, draft, paused'],
      ],
    });
    expect(await table.read(jobKey('default', '1'))).toBeDefined();
    expect(await table.read(applicationKey('default', '4007', 'c'))).toBeDefined();
  });

  it('writes nothing for nothing', async () => {
    expect((await load(table, streamOf(''))).counts).toEqual({
      jobs: 0,
      applications: 0,
      expired: 0,
      refused: 0,
    });
  });

  it('keeps the last of several lines of one key, in one batch or in several', async () => {
    const statuses = ['draft', 'published', 'paused', 'closed'];
    const near = statuses.map((status) => jobLine('near', status));
    const far = statuses.flatMap((status) => [...jobLines(30), jobLine('far', status)]);
    const { counts } = await load(table, streamOf(...near, ...far));
    expect(counts.jobs).toBe(near.length + far.length);
    expect(await table.read(jobKey('default', 'near'))).toMatchObject({ status: 'closed' });
    expect(await table.read(jobKey('default', 'far'))).toMatchObject({ status: 'closed' });
  });

  it('may be done again, with the same result', async () => {
    await load(table, createReadStream(SAMPLE));
    const once = await stored();
    await load(table, createReadStream(SAMPLE));
    expect(await stored()).toEqual(once);
  });

  it('counts a version for a job that is there, and keeps what guards it from late requests', async () => {
    await table.put({
      ...jobKey('default', '1'),
      status: 'closed',
      version: 9,
      fence: 7,
      previous_status: 'paused',
      status_changed_at: '2026-11-03T09:26:53.589Z',
      status_changed_by: 'recruiter-9',
      last_change_actor: 'recruiter-9',
      last_change_id: 'x',
    });
    await load(table, streamOf(jobLine('1')));
    expect(await table.read(jobKey('default', '1'))).toEqual({
      ...jobKey('default', '1'),
      tenant_id: 'default',
      job_id: '1',
      status: 'draft',
      version: 10,
      fence: 7,
      last_change_id: 'x',
    });
  });

  it.each([
    { version: 'x' },
    { version: -1 },
    { version: Number.MAX_SAFE_INTEGER },
    { version: 9, fence: 'x' },
    { version: 9, fence: Number.MAX_SAFE_INTEGER },
  ])('stops at a job that cannot be counted, and leaves it as it is: %j', async (counts) => {
    const item = { ...jobKey('default', '1'), status: 'closed', ...counts };
    await table.put(item);
    const stopped = { name: 'ImportStopped', cause: { name: 'UncountableJob' } };
    await expect(load(table, streamOf(jobLine('1')))).rejects.toMatchObject(stopped);
    expect(await table.read(jobKey('default', '1'))).toEqual(item);
  });

  it('stops at a job whose version is a fraction', async () => {
    await table.put({ ...jobKey('default', '1'), status: 'closed', version: 1.5 });
    const stopped = { name: 'ImportStopped', cause: { name: 'UncountableJob' } };
    await expect(load(table, streamOf(jobLine('1')))).rejects.toMatchObject(stopped);
  });

  it('begins a new job with version 1, even if a response is lost', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect('answer lost', 'none');
    await load(through(proxy, table, 2), streamOf(jobLine('1')));
    expect(proxy.requests).toHaveLength(2);
    await proxy.stop();
    expect(await table.read(jobKey('default', '1'))).toEqual({
      ...jobKey('default', '1'),
      tenant_id: 'default',
      job_id: '1',
      status: 'draft',
      version: 1,
    });
  });

  describe('with the history of a job', () => {
    const history = {
      version: 9,
      previous_status: 'paused',
      fence: 1_793_698_013_589,
      status_changed_at: '2026-11-03T09:26:53.589Z',
      status_changed_by: 'recruiter-9',
      last_change_actor: 'recruiter-9',
      last_change_id: 'x',
    };
    const line = JSON.stringify(jobRecord({ id: '1', status: 'closed', ...history }));
    const item = {
      ...jobKey('default', '1'),
      tenant_id: 'default',
      job_id: '1',
      status: 'closed',
      ...history,
    };
    const read = () => table.read(jobKey('default', '1'));

    it('stores it if there is no such job, and changes nothing if it is imported again', async () => {
      await load(table, streamOf(line));
      expect(await read()).toEqual(item);
      await load(table, streamOf(line));
      expect(await read()).toEqual(item);
    });

    it('stores it once, even if a response is lost', async () => {
      const proxy = await FaultyProxy.start();
      proxy.expect('answer lost', 'none');
      await load(through(proxy, table, 2), streamOf(line));
      expect(proxy.requests).toHaveLength(2);
      expect(await read()).toEqual(item);
      await proxy.stop();
    });

    it('keeps what guards another job with the key, whose status it sets without an event', async () => {
      await table.put({ ...item, status: 'draft', version: 20, fence: 5, last_change_id: 'y' });
      await load(table, streamOf(line));
      const { pk, sk, tenant_id, job_id, status } = item;
      const kept = { version: 21, fence: 5, last_change_id: 'y' };
      expect(await read()).toEqual({ pk, sk, tenant_id, job_id, status, ...kept });
    });
  });

  it('stores each number as it is given', async () => {
    const numbers = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 1e-130, 0.1 + 0.2, 1e-7];
    await load(
      table,
      streamOf(...numbers.map((score, at) => applicationLine(`c-${at}`, { score }))),
    );
    for (const [at, score] of numbers.entries()) {
      const item = await table.read(applicationKey('default', '4007', `c-${at}`));
      expect(item?.score).toBe(score);
    }
  });

  it('refuses an item that is too large, and writes its neighbours and the largest one', async () => {
    const line = (length: number) => applicationLine('c', { summary: 'x'.repeat(length) });
    await load(table, streamOf(line(0)));
    const smallest = Object.entries(
      (await table.read(applicationKey('default', '4007', 'c'))) ?? {},
    );
    // Of text alone: what DynamoDB counts is its length and that of the names.
    const room = 409_600 - smallest.flat().join('').length;
    const lines = [jobLine('1'), line(room + 1), jobLine('2'), line(room)];
    expect(await load(table, streamOf(...lines))).toEqual({
      counts: { jobs: 2, applications: 1, expired: 0, refused: 1 },
      refused: [[2, expect.stringContaining('409600 bytes')]],
    });
  });

  it('waits for the caller whom it tells of a refusal', async () => {
    const told: string[] = [];
    const onRefused = async (line: number) => {
      told.push(`begin ${line}`);
      await new Promise(setImmediate);
      told.push(`end ${line}`);
    };
    await load(table, streamOf('', '{', '['), { onRefused });
    expect(told).toEqual(['begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it('passes on what a callback throws', async () => {
    const onRefused = () => {
      throw new RangeError('enough');
    };
    await expect(load(table, streamOf('', '{'), { onRefused })).rejects.toThrow(RangeError);
  });

  it('continues from a refused line that the caller could not keep', async () => {
    const onRefused = () => {
      throw new WriteStopped('', { cause: new RangeError('enough') });
    };
    const stopped = load(table, streamOf(jobLine('1'), jobLine('2'), '{'), { onRefused });
    await expect(stopped).rejects.toMatchObject({ line: 1, cause: expect.any(RangeError) });
    const blank = load(table, streamOf('', '{', jobLine('3')), { onRefused });
    await expect(blank).rejects.toMatchObject({ line: 2, cause: expect.any(RangeError) });
  });

  it('starts at the line that is named, and counts lines from the beginning of the file', async () => {
    const lines = ['[', jobLine('1'), '{', jobLine('2')];
    expect(await load(table, streamOf(...lines), { fromLine: 3 })).toEqual({
      counts: { jobs: 1, applications: 0, expired: 0, refused: 1 },
      refused: [[3, 'the line is not JSON']],
    });
    expect(await table.read(jobKey('default', '1'))).toBeUndefined();
    expect(await table.read(jobKey('default', '2'))).toBeDefined();
  });

  const rows = ['type,id,status', 'job,1,draft', 'job,2,draft'].join('\n');
  const records = [{ type: 'job', id: '1', status: 'draft' }];
  it.each([
    ['CSV', Buffer.from(rows)],
    ['CSV', Buffer.from(`\ufeff${rows.replaceAll(',', ';')}`)],
    ['UTF-16', Buffer.from(`\ufeff${jobLine('1')}\n`, 'utf16le')],
    ['UTF-16', Buffer.from(`\ufeff${jobLine('1')}\n`, 'utf16le').swap16()],
    ['UTF-16', Buffer.from(`${jobLine('1')}\n${jobLine('2')}`, 'utf16le')],
    ['array', Buffer.from(JSON.stringify(records))],
    ['array', Buffer.from(JSON.stringify(records, undefined, 2))],
    ['several lines', Buffer.from(JSON.stringify(records[0], undefined, 2))],
  ])('tells once that a file is %s, and writes nothing', async (named, bytes) => {
    const refused: number[] = [];
    const loading = load(table, Readable.from([bytes]), {
      onRefused: (line) => refused.push(line),
    });
    await expect(loading).rejects.toThrow(new RegExp(`^line 1: .*${named}`));
    expect(refused).toEqual([]);
    expect(await stored()).toEqual([]);
  });
});
