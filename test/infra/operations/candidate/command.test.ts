import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeState } from '../../../../infra/cli/state.ts';
import { apply, HOSTILE_JOBS, jobs, storedIn } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { fullApplication } from '../../../support/items.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, stateWith, type TestTable } from '../../../support/table.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /gm;

const WHOM = 'candidate "c-1" of tenant "default"';
const NONE = `${WHOM}: no application was found. Check the tenant and the id, unless an earlier run has erased them: it leaves none`;

let table: TestTable;
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'recruitment-candidate-'));
});
beforeEach(async () => {
  table = await createTestTable();
});
afterAll(() => rmSync(directory, { recursive: true }));

const run = (action: string, ...args: string[]) =>
  runCommand('candidate', [action, '--tenant', 'default', '--table', table.name, ...args]);

describe('npm run candidate -- export', () => {
  it('writes all applications as one document to standard output, and counts them', async () => {
    await apply(table, { id: 'c#1' }, HOSTILE_JOBS, fullApplication);
    const { exitCode, out, err } = await run('export', '--id', 'c#1');
    expect([exitCode, err]).toEqual([0, `${HOSTILE_JOBS.length} applications exported.\n`]);
    const { applications, ...whose } = JSON.parse(out);
    expect(whose).toMatchObject({ tenant: 'default', candidate_id: 'c#1' });
    const exported = applications.map(({ job_id }: { job_id: string }) => job_id);
    expect(exported.toSorted()).toEqual(HOSTILE_JOBS.toSorted());
    expect(applications[0]).toMatchObject({ ...fullApplication, user_id: 'c#1' });
  });

  it('writes a file for its owner alone, and never over another', async () => {
    await apply(table, {}, ['4007']);
    const output = join(directory, 'export.json');
    const { exitCode, out } = await run('export', '--id', 'c-1', '--output', output);
    expect([exitCode, out]).toEqual([0, '']);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const text = readFileSync(output, 'utf8');
    expect(JSON.parse(text).applications).toHaveLength(1);
    const again = await run('export', '--id', 'nobody', '--output', output);
    expect([again.exitCode, again.out]).toEqual([2, '']);
    expect(again.err).toContain(`The file ${output} exists already.`);
    expect(readFileSync(output, 'utf8')).toBe(text);
  });

  it('says where a file cannot be written', async () => {
    const output = join(directory, 'missing', 'export.json');
    const { exitCode, err } = await run('export', '--id', 'c-1', '--output', output);
    expect([exitCode, err.split('\n')[0]]).toEqual([
      2,
      `The file ${output} cannot be written (ENOENT).`,
    ]);
  });
});

describe('npm run candidate -- erase', () => {
  it('removes the applications, says which and how many, and finds nothing again', async () => {
    await apply(table, {}, ['4007', 'a"b'], {
      name: 'Canary Example',
      email: 'canary@example.com',
    });
    const { exitCode, out, err } = await run('erase', '--id', 'c-1', '--yes');
    expect([exitCode, err]).toEqual([0, '']);
    const lines = out.trim().split('\n');
    expect(out.match(TIME)).toHaveLength(lines.length);
    expect(out.replaceAll(TIME, '').split('\n').toSorted()).toEqual([
      '',
      'candidate "c-1" of tenant "default": 2 applications removed, 0 anonymised, nothing left',
      'removed the application to job "4007"',
      'removed the application to job "a\\"b"',
    ]);
    expect(await storedIn(table)).toEqual([]);
    const again = await run('erase', '--id', 'c-1', '--yes');
    expect([again.exitCode, again.out.replaceAll(TIME, '')]).toEqual([0, `${NONE}\n`]);
  });

  it.each([
    ['Default', 'c-1'],
    ['default', 'c-1 '],
  ])('says that it has found none where tenant %j or id %j is mistyped', async (tenant, id) => {
    await apply(table, {}, ['4007']);
    const args = ['erase', '--tenant', tenant, '--id', id, '--yes', '--table', table.name];
    const { exitCode, out } = await runCommand('candidate', args);
    expect([exitCode, out]).toEqual([
      0,
      expect.stringContaining('no application was found. Check'),
    ]);
    expect(out).not.toContain('nothing left');
    expect(await storedIn(table)).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux').each([
    ['c-1', 'Found: 2 applications, to "j-0", "j-1".', 0],
    ['c-1 ', 'No application was found. Check the tenant and the id.', 2],
  ])('says before it asks what it has found of %j', async (id, found, left) => {
    await apply(table, {}, jobs(2));
    const script = fileURLToPath(
      new URL('../../../../infra/operations/candidate/command.ts', import.meta.url),
    );
    const words = [process.execPath, script, 'erase', '--tenant', 'default', '--id', id];
    const line = [...words, '--table', table.name].map((word) => `'${word}'`).join(' ');
    // A terminal of its own: without one, nothing is asked.
    const child = spawn('script', ['-qec', line, '/dev/null'], { env: environment() });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (text.includes('Type ')) child.stdin.end('c-1\r');
    });
    await once(child, 'close');
    expect(said.replaceAll('\r', '')).toContain(
      `in the table ${table.name}.\n${found}\nType ${id} `,
    );
    expect(await storedIn(table)).toHaveLength(left);
  });

  it('waits where the table throttles, longer than the SDK does by itself', async () => {
    await apply(table, {}, ['4007']);
    const proxy = await FaultyProxy.start();
    const throttled = dynamoError(400, 'ProvisionedThroughputExceededException');
    proxy.expect(throttled, throttled, throttled, throttled, 'none');
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const args = ['erase', '--tenant', 'default', '--id', 'c-1', '--table', table.name, '--yes'];
    const { exitCode, out } = await runCommand('candidate', args, { env });
    expect([exitCode, out]).toEqual([0, expect.stringContaining('1 applications removed')]);
    await proxy.stop();
  }, 60_000);

  it('keeps anonymous applications where that is asked for', async () => {
    await apply(table, {}, ['4007', '4008']);
    const { exitCode, out } = await run('erase', '--id', 'c-1', '--anonymise', '--yes');
    expect(exitCode).toBe(0);
    expect(out).toContain('anonymised the application to job "4007"\n');
    expect(out).toContain('0 applications removed, 2 anonymised, nothing left');
    const left = await storedIn(table);
    expect(left.map(({ name, job_id }) => [name, job_id])).toEqual([
      ['Erased', '4007'],
      ['Erased', '4008'],
    ]);
    // Not even the report tells which application was the candidate's.
    for (const { user_id } of left) expect(out).not.toContain(String(user_id));
  });

  it('takes --scan for what the index does not have', async () => {
    await table.put({ pk: 'TENANT#default#JOB#1', sk: 'APPLICATION#c-1', name: 'Ana Example' });
    expect((await run('erase', '--id', 'c-1', '--yes')).out).toContain('no application was found');
    const { out } = await run('erase', '--id', 'c-1', '--yes', '--scan');
    expect(out).toContain('1 applications removed');
    expect(await storedIn(table)).toEqual([]);
  });

  it('changes nothing where nobody can confirm it', async () => {
    await apply(table, {}, jobs(2));
    const { exitCode, out, err } = await run('erase', '--id', 'c-1');
    expect([exitCode, out.replaceAll(TIME, '')]).toEqual([
      2,
      `${WHOM}: There is no terminal to confirm on: add --yes to go on without a question.\n`,
    ]);
    expect(err).toContain('There is no terminal to confirm on: add --yes');
    expect(await storedIn(table)).toHaveLength(2);
  });

  it('is of the local service where no table is named', async () => {
    await apply(table, {}, jobs(2));
    writeState(directory, stateWith(table));
    const args = ['erase', '--tenant', 'default', '--id', 'c-1', '--yes', '--data', directory];
    const env = { PATH: process.env.PATH };
    const { exitCode, err } = await runCommand('candidate', args, { env });
    expect([exitCode, err]).toEqual([0, '']);
    expect(await storedIn(table)).toEqual([]);
  });
});
