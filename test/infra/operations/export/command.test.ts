import {
  createReadStream,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobKey } from '../../../../functions/store/keys.ts';
import { Interrupted } from '../../../../infra/cli/signals.ts';
import { anonymise } from '../../../../infra/operations/candidate/erasure.ts';
import { command } from '../../../../infra/operations/export/command.ts';
import { sampleRecords } from '../../../../infra/operations/sample/sample-records.ts';
import { apply, HOSTILE_JOBS, storedIn } from '../../../support/candidates.ts';
import { SAMPLE } from '../../../support/import-command.ts';
import { applicationItem, jobItem } from '../../../support/items.ts';
import { environment, type Run, runCommand } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { jobLine, load, streamOf } from '../../../support/records.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

let directory: string;
let table: TestTable;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'recruitment-export-'));
});
beforeEach(async () => {
  table = await createTestTable();
});
afterAll(() => rmSync(directory, { recursive: true }));

const newPath = () => join(directory, `${crypto.randomUUID()}.ndjson`);
const run = (args: string[] = [], options?: Run, on = table) =>
  runCommand(command, ['--table', on.name, ...args], options);

/** A new table with what was exported, and what the import refused. */
async function imported(path: string) {
  const other = await createTestTable();
  const { refused } = await load(other, createReadStream(path));
  return { other, refused };
}

/** Data of which one page of a scan, at most 1 MB, has a part. */
async function fill(): Promise<void> {
  const records = sampleRecords({ jobs: 20, applications: 1500, seed: 7, tenant: 'default' });
  await load(table, streamOf(...Array.from(records, (record) => JSON.stringify(record))));
}

describe('npm run export', () => {
  it('writes a file whose import into an empty table makes an equal table', async () => {
    await load(table, createReadStream(SAMPLE));
    await fill();
    await apply(table, { tenant: 'é#', id: '%23' }, HOSTILE_JOBS);
    // A job that was changed, one that was imported over another one, and an anonymous application.
    await table.put({
      ...jobKey('acme', '1'),
      tenant_id: 'acme',
      job_id: '1',
      status: 'closed',
      version: 3,
      previous_status: 'paused',
      fence: 1_793_698_013_589,
      status_changed_at: '2026-11-03T09:26:53.589Z',
      status_changed_by: 'auth0|“recruiter”',
      last_change_actor: 'recruiter-9',
      last_change_id: 'x',
    });
    await load(table, streamOf(jobLine('again'), jobLine('again', 'closed')));
    const gone = applicationItem({ job: '%', candidate: 'c-9' });
    await table.put(gone);
    await anonymise(table, { tenant: 'default', id: 'c-9' }, { pk: gone.pk, sk: gone.sk });
    const path = newPath();
    const { exitCode, out, err } = await run(['--output', path]);
    expect([exitCode, out]).toEqual([0, '']);
    const before = await storedIn(table);
    expect(err).toMatch(/^\d+ jobs and \d+ applications exported\.\n$/m);
    const anonymous = before.filter(({ name }) => name === 'Erased');
    expect(anonymous.map(({ candidate_pk }) => candidate_pk)).toEqual([undefined]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { other, refused } = await imported(path);
    expect(refused).toEqual([]);
    expect(await storedIn(other)).toEqual(before);
  });

  it('writes the same to standard output', async () => {
    await load(table, createReadStream(SAMPLE));
    const path = newPath();
    const { out } = await run();
    await run(['--output', path]);
    expect(out.split('\n')).toEqual(readFileSync(path, 'utf8').split('\n'));
    expect(out.split('\n')).toHaveLength(16);
  });

  it('writes the records of one tenant', async () => {
    await load(table, createReadStream(SAMPLE));
    await apply(table, { tenant: 'acme#' }, ['1']);
    const { out } = await run(['--tenant', 'acme']);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type, tenant }) => [type, tenant]).toSorted()).toEqual([
      ['application', 'acme'],
      ['job', 'acme'],
    ]);
  });

  it('exports all of a record that the import would not store as it is, and names it', async () => {
    await table.put(jobItem({ job: '1' }, { tenant_id: 'default', job_id: '1' }));
    await table.put({ ...jobKey('default', '2'), status: 'draft', version: 1 });
    await table.put({ pk: 'x', sk: 'OTHER' });
    const { exitCode, out, err } = await run();
    expect(exitCode).toBe(1);
    expect(JSON.parse(out.split('\n').find((line) => line.includes('"id":"1"')) ?? '')).toEqual({
      type: 'job',
      tenant: 'default',
      id: '1',
      status: 'draft',
      version: 1,
      title: 'Data Engineer',
    });
    expect(err).toMatch(/^job "1" of tenant "default": .*\/title is not a known member$/m);
    expect(err).toMatch(/^job "2" of tenant "default": .*tenant_id, job_id$/m);
    expect(err).toMatch(/^1 item left out/m);
  });

  it('continues after a failure, whatever half lines are at the end', async () => {
    await fill();
    const path = newPath();
    const proxy = await FaultyProxy.start();
    proxy.expect('none', { status: 400, body: '{"__type":"x#AccessDeniedException"}' });
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const stopped = await run(['--output', path], { env });
    await proxy.stop();
    expect([stopped.exitCode, stopped.err]).toEqual([1, expect.stringContaining('--resume')]);
    const text = readFileSync(path, 'utf8');
    expect(text.split('\n').length).toBeGreaterThan(100);
    writeFileSync(path, `${text}{"type":"job","tenant":"default","id":"x"}\n{"type":"job","ten`);
    expect((await run(['--output', path, '--resume'])).exitCode).toBe(0);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    const { other, refused } = await imported(path);
    expect(refused).toEqual([]);
    expect(await storedIn(other)).toEqual(await storedIn(table));
    // All of it is there, so nothing is added.
    await run(['--output', path, '--resume']);
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(lines.length);
  });

  it('stops soon if it is interrupted while the table does not respond', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect('hang');
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const controller = new AbortController();
    const path = newPath();
    const ended = run(['--output', path], { env, signal: controller.signal });
    await expect.poll(() => proxy.requests.length, { timeout: 60_000 }).toBe(1);
    controller.abort(new Interrupted('SIGINT'));
    const { exitCode, err } = await ended;
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/--resume.*SIGINT/)]);
    // The request was given up, not timed out and tried again.
    expect(proxy.requests).toHaveLength(1);
    await proxy.stop();
    expect((await run(['--output', path, '--resume'])).exitCode).toBe(0);
  });

  it.each([
    [['--resume'], '--output'],
    [['--output', '/does/not/exist'], '/does/not/exist'],
    [['--output', '/does/not/exist', '--resume'], '/does/not/exist'],
    [['--output', SAMPLE], 'already exists'],
    [['--output', import.meta.filename, '--resume'], 'does not end'],
    [['--tenant', 'a\nb'], '--tenant'],
    [['--data', '.'], '--data'],
    [['x'], "'x'"],
  ])('%j: names %s, and prints the usage', async (args, named) => {
    const before = readFileSync(import.meta.filename, 'utf8');
    const { exitCode, out, err } = await run(args);
    const [message, , usage] = err.split('\n');
    expect([exitCode, out]).toEqual([2, '']);
    expect(message).toContain(named);
    expect(usage).toMatch(/^Usage: npm run export/);
    expect(readFileSync(import.meta.filename, 'utf8')).toBe(before);
  });
});
