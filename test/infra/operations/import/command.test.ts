import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applicationKey, jobKey } from '../../../../functions/store/keys.ts';
import { writeState } from '../../../../infra/cli/state.ts';
import { run, SAMPLE } from '../../../support/import-command.ts';
import { applicationLine, jobLine } from '../../../support/records.ts';
import { createTestTable, stateWith, type TestTable } from '../../../support/table.ts';

let table: TestTable;
let directory: string;
beforeAll(async () => {
  table = await createTestTable();
  directory = mkdtempSync(join(tmpdir(), 'recruitment-import-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(...lines: string[]): string {
  const path = join(directory, `${crypto.randomUUID()}.ndjson`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

describe('npm run import', () => {
  it('writes a file to the table that is named', async () => {
    expect(await run([SAMPLE, '--table', table.name])).toEqual({
      exitCode: 0,
      out: '3 jobs and 12 applications written, 0 lines refused.\n',
      err: '',
    });
    expect(await table.read(applicationKey('acme', '4007', 'c-1001'))).toBeDefined();
  });

  it('writes standard input', async () => {
    const input = `${jobLine('piped')}\n`;
    const { exitCode, out } = await run(['-', '--table', table.name], { input });
    expect([exitCode, out]).toEqual([0, '1 jobs and 0 applications written, 0 lines refused.\n']);
    expect(await table.read(jobKey('default', 'piped'))).toBeDefined();
  });

  it('reports what it refuses by line and reason, and says so by its exit code', async () => {
    const file = fileOf(jobLine('good'), '{"type":', '', applicationLine('c', { emial: 'x' }));
    expect(await run([file, '--table', table.name])).toEqual({
      exitCode: 1,
      out: '1 jobs and 0 applications written, 2 lines refused.\n',
      err: 'line 2: the line is not JSON\nline 4: /emial is not a known member\n',
    });
    expect(await table.read(jobKey('default', 'good'))).toBeDefined();
  });

  it('never prints a value of a line, good or bad', async () => {
    const canary = 'canary@example.com';
    const file = fileOf(
      applicationLine('c', { email: canary }),
      applicationLine('c', { email: [canary] }),
      applicationLine('c', { created_at: canary, education: [{ start_date: canary }] }),
      applicationLine('c', { email: canary, name: undefined }),
      applicationLine('c', { name: `${canary}\ud800` }),
      `{"type":"application","email":"${canary}"`,
      JSON.stringify({ type: canary }),
      JSON.stringify(canary),
    );
    const { exitCode, out, err } = await run([file, '--table', table.name]);
    expect([exitCode, out]).toEqual([1, '0 jobs and 1 applications written, 7 lines refused.\n']);
    expect(err.trim().split('\n')).toHaveLength(7);
    expect(out + err).not.toContain('canary');
  });

  it('draws no progress bar where standard error is not a terminal', async () => {
    const { err } = await run([SAMPLE, '--table', table.name]);
    expect(err).toBe('');
  });

  it.each(['', '\n\n'])('fails where there is nothing to write: %j', async (input) => {
    const nothing = '0 jobs and 0 applications written, 0 lines refused.\n';
    expect(await run(['-', '--table', table.name], { input })).toEqual({
      exitCode: 1,
      out: nothing,
      err: 'Standard input has no record: nothing has been imported.\n',
    });
    const file = fileOf(input);
    expect(await run([file, '--table', table.name])).toEqual({
      exitCode: 1,
      out: nothing,
      err: `The file ${file} has no record: nothing has been imported.\n`,
    });
  });

  it('explains itself', async () => {
    const { exitCode, out, err } = await run(['--help']);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('Usage: npm run import -- FILE');
    expect(out).toContain('To change the status of a job, call the API.');
  });
});

describe('npm run import to the local service', () => {
  const state = () => stateWith(table);

  it('finds the service by its folder, without credentials or a region', async () => {
    writeState(directory, state());
    const file = fileOf(jobLine('local'));
    const env = { PATH: process.env.PATH };
    const { exitCode, err } = await run([file, '--data', directory], { env });
    expect([exitCode, err]).toEqual([0, '']);
    expect(await table.read(jobKey('default', 'local'))).toBeDefined();
  });

  it('says that the service is not running', async () => {
    const empty = join(directory, 'empty');
    mkdirSync(empty);
    expect(await run([SAMPLE, '--data', empty])).toEqual({
      exitCode: 1,
      out: '',
      err: 'The local service is not running: start it with npm start.\n',
    });
  });
});
