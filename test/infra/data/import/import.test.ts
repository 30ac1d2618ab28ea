import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { applicationKey, erasureKey, jobKey } from '../../../../functions/store/keys.ts';
import { writeState } from '../../../../infra/command/service-state.ts';
import { importCommand } from '../../../../infra/data/import/import.ts';
import { storedIn } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import {
  environment,
  runImport as run,
  runAmid,
  runCommand,
  SAMPLE,
} from '../../../support/operator-command.ts';
import { applicationLine, jobLine } from '../../../support/records.ts';
import { createTestTable, stateWith } from '../../../support/table.ts';

/** After this many unreadable lines in a row, the import stops. */
const MOST_UNREADABLE = 100;
const MOST_LINE_BYTES = 4 * 1024 * 1024;
/** Long enough for the command to show its progress on a terminal once. */
const ONE_PROGRESS_MS = 1300;
const CREATED_AT = '2099-01-01T00:00:00.000Z';
const EXPIRES_AT = 4_102_444_800;

const importWithoutWaits = importCommand({ settleMs: 0, pauseMs: 0, idleSearches: 5 });
const candidateExport = {
  tenant: 'default',
  candidate_id: 'c-1',
  exported_at: CREATED_AT,
  applications: [],
};
const utf32 = (content: string) =>
  Buffer.from([...content].map((one) => `${one}\0`).join(''), 'utf16le');

const bucket = ['--files-bucket', 'recruitment-local'];

const table = await createTestTable();
const directory = mkdtempSync(join(tmpdir(), 'recruitment-import-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(...lines: string[]): string {
  const path = join(directory, `${crypto.randomUUID()}.ndjson`);
  writeFileSync(path, lines.join('\n'));
  return path;
}

describe('npm run import', () => {
  it('writes a file to the named table', async () => {
    const { exitCode, out, err } = await run([SAMPLE, '--table', table.name, ...bucket]);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/^3 jobs and 12 applications stored, 0 lines refused\.\n$/);
    expect(await table.read(applicationKey('acme', '4007', 'c-1001'))).toBeDefined();
    const example = { ...(await table.read(applicationKey('default', '4007', 'c-1001'))) };
    expect(Object.keys(example)).toHaveLength(2 + 1 + 2 + 19);
    for (const value of Object.values(example)) expect(value).not.toEqual([]);
  });

  it('has sample data whose hosts are all reserved for examples', () => {
    const hosts = readFileSync(SAMPLE, 'utf8').match(
      /(?<=@|:\/\/|"linked_in":")(?<!s3:\/\/)[\w.-]+/g,
    );
    expect(hosts?.length).toBeGreaterThan(20);
    for (const host of hosts ?? []) expect(host).toMatch(/(^|\.)example\.com$/);
  });

  it('prints the number and the reason of each refused line, and exits with 1', async () => {
    const lines = [jobLine('good'), '{"type":', '', applicationLine('c', { emial: 'x' })];
    const input = lines.join('\n');
    const { exitCode, out, err } = await run(['-', '--table', table.name], { input });
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^1 job stored, 2 lines refused\.\n$/);
    expect(err).toMatch(
      /^line 2: .*\nline 4: \/emial .*\nCorrect the refused lines, .*--rejects.*\n$/,
    );
    expect(await table.read(jobKey('default', 'good'))).toBeDefined();
  });

  it('prints the line to continue from, and continues there with --from-line', async () => {
    const empty = await createTestTable();
    const lines = Array.from({ length: 60 }, (_, at) => applicationLine(`c-${at}`));
    const file = fileOf(...lines);
    const denied = dynamoError(400, 'AccessDeniedException');
    const faults = ['none', 'none', denied] as const;
    const { exitCode, err } = await runAmid(faults, (env) =>
      run([file, '--table', empty.name], { env }),
    );
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/\nInvented\.\n$/)]);
    const [, line = ''] = /continue, use --from-line (\d+)\.\n/.exec(err) ?? [];
    const rest = await run([file, '--table', empty.name, '--from-line', line]);
    const left = lines.length + 1 - Number(line);
    expect([rest.exitCode, rest.out]).toEqual([0, expect.stringContaining(`${left} applications`)]);
    expect(await storedIn(empty)).toHaveLength(60);
    const none = await run([file, '--table', empty.name, '--from-line', '61']);
    expect(none).toMatchObject({ exitCode: 1, err: expect.stringContaining('line 61') });
  });

  it('reads a compressed file with any name, and says if the file is truncated', async () => {
    const path = fileOf();
    const whole = gzipSync([jobLine('zipped'), '{', ''].join('\n'));
    writeFileSync(path, whole);
    const { exitCode, err } = await run([path, '--table', table.name]);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringMatching(/^line 2: the line is not JSON.*\nCorrect .*\n$/),
    ]);
    expect(await table.read(jobKey('default', 'zipped'))).toBeDefined();
    const piped = await run(['-', '--dry-run'], { input: whole });
    expect(piped.out).toContain('1 job');
    writeFileSync(path, whole.subarray(0, -9));
    const cut = await run([path, '--table', table.name]);
    expect([cut.exitCode, cut.err]).toEqual([
      1,
      expect.stringMatching(/^The import stopped\.\n.*truncated\.\n$/),
    ]);
  });

  it('checks every line and writes nothing with --dry-run, without a table', async () => {
    const input = [jobLine('dry'), '{', applicationLine('c', { expires_at: 1 })].join('\n');
    const { exitCode, out, err } = await run(['-', '--dry-run'], { input, env: {} });
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^line 2: /)]);
    expect(out).toBe(
      '1 job and 1 application valid, 1 line refused. Of the applications, 1 has already expired. The table was not read.\n',
    );
    await run(['-', '--dry-run', '--table', table.name], { input });
    expect(await table.read(jobKey('default', 'dry'))).toBeUndefined();
  });

  it("accepts a tenant's file with --files-bucket, and any file of the bucket with --whole-bucket", async () => {
    const resume_url = 's3://files/ac%2Fme/c-1/resume.pdf';
    const input = applicationLine('c-1', { tenant: 'ac/me', resume_url });
    const args = ['-', '--table', table.name];
    const unknown = await run(args, { input });
    expect(unknown.err).toMatch(
      /^line 1: \/resume_url is a file in S3, which requires --files-bucket\nCorrect .*\n$/,
    );
    expect((await run([...args, '--files-bucket', 'files'], { input })).exitCode).toBe(0);
    const key = applicationKey('ac/me', '4007', 'c-1');
    expect(await table.read(key)).toMatchObject({ resume_url });
    const other = 's3://files/default/c-1/resume.pdf';
    const whole = [...args, '--files-bucket', 'files', '--whole-bucket'];
    await run(whole, { input: input.replace(resume_url, other) });
    expect(await table.read(key)).toMatchObject({ resume_url: other });
  });

  it('names a refused line that it could not write to the file of --rejects as the line to continue from', async () => {
    const rejects = join(directory, 'full.ndjson');
    const script = fileURLToPath(
      new URL('../../../../infra/data/import/import.ts', import.meta.url),
    );
    const lines = [jobLine('1'), `{"unknown":"${'x'.repeat(5000)}"}`, jobLine('2')];
    // Files cannot grow beyond one block. Further writes fail, as on a full disk.
    const child = spawn(
      'sh',
      [
        '-c',
        'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"',
        process.execPath,
        script,
        fileOf(...lines),
        '--rejects',
        rejects,
        '--table',
        table.name,
      ],
      { env: environment() },
    );
    const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    const [end, out, err] = await ended;
    expect([end, out]).toEqual([[1, null], expect.stringContaining('1 line refused')]);
    expect(err).toMatch(
      /^line 2: .*\nThe import stopped\. To continue, use --from-line 2\.\nEFBIG.*\n$/,
    );
  });

  it('writes the refused lines to the file of --rejects unchanged', async () => {
    const bad = Buffer.concat([
      Buffer.from('{"type":"job","id":"vag\xe3o","status":"draft"}\n', 'latin1'),
      Buffer.from('{"type":"job","id":"é"}\n'),
    ]);
    const input = Buffer.concat([bad, Buffer.from(jobLine('ok'))]);
    const rejects = join(directory, 'rejects.ndjson');
    const args = ['--table', table.name, '--rejects', rejects];
    expect((await run(['-', ...args], { input })).exitCode).toBe(1);
    expect(readFileSync(rejects)).toEqual(bad);
    expect(statSync(rejects).mode & 0o777).toBe(0o600);
    const again = await run([fileOf(jobLine('ok')), ...args]);
    expect([again.exitCode, again.err]).toEqual([2, expect.stringContaining(rejects)]);
  });

  it('says which line is too long for the file of --rejects', async () => {
    const rejects = join(directory, 'without-long.ndjson');
    const input = [jobLine('1'), jobLine('x'.repeat(MOST_LINE_BYTES)), '{'].join('\n');
    const { err } = await run(['-', '--dry-run', '--rejects', rejects], { input });
    expect(err).toMatch(
      /^line 2: .*\nline 2 .*without-long\.ndjson\nline 3: [^\n]*\nCorrect .*without-long\.ndjson, .*\n$/,
    );
    expect(readFileSync(rejects, 'utf8')).toBe('{\n');
  });

  const reportIn = (path: string): unknown[] =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('stores null for an invalid value that may be null, with --null-invalid, and reports it', async () => {
    const { name, read } = await createTestTable();
    const education = [{ institution: 'USP', start_date: '2016-02-31' }];
    const lines = [
      applicationLine('c-1', { phone: '1', education }),
      applicationLine('c-2', { phone: '1', email: 'x' }),
      applicationLine('c-3', { phone: '1', expires_at: 'x' }),
      applicationLine('c-4', { phone: '1', revision: 1 }),
      applicationLine('c-5', { linked_in: 'https://linkedin.example.com/in/ana' }),
      applicationLine('c-6', { education: 'USP' }),
    ];
    const path = fileOf();
    rmSync(path);
    const args = ['-', '--table', name, '--null-invalid', '--report', path];
    const { exitCode, out, err } = await run(args, { input: lines.join('\n') });
    expect([exitCode, out]).toEqual([
      1,
      '2 applications stored, 4 lines refused. 1 application with null for an invalid value.\n',
    ]);
    expect(err).toContain(
      'line 1 has null in place of an invalid /phone and /education/0/start_date\n',
    );
    const outcomes = [
      { line: 2, outcome: 'refused', reason: expect.stringMatching(/^\/email must be [^;]*$/) },
      { line: 3, outcome: 'refused', reason: expect.stringMatching(/^\/expires_at must/) },
      { line: 4, outcome: 'refused', reason: expect.stringMatching(/^\/revision must/) },
      { line: 6, outcome: 'refused', reason: expect.stringMatching(/^\/education must/) },
      {
        ...{ line: 1, outcome: 'null' },
        values: { '/phone': '1', '/education/0/start_date': '2016-02-31' },
      },
    ];
    expect(reportIn(path)).toMatchObject(outcomes);
    const item = await read(applicationKey('default', '4007', 'c-1'));
    expect(item).toMatchObject({ education: [{ institution: 'USP' }] });
    expect(item).not.toHaveProperty('phone');
  });

  describe('--report FILE', () => {
    it('names each record that is not stored as given, and why', async () => {
      const REVISION = 1_793_698_013_589;
      const until = { expires_at: EXPIRES_AT };
      const { name, put, read } = await createTestTable();
      const before = [
        jobLine('1', 'closed'),
        applicationLine('older', { revision: REVISION }),
        applicationLine('erased', { resume_url: 's3://files/default/cv.pdf' }),
      ];
      const files = ['--table', name, '--files-bucket', 'files'];
      await run(['-', ...files], { input: before.join('\n') });
      await put({ ...erasureKey('default', 'forgotten'), revision: REVISION, ...until });
      const lines = [
        applicationLine('stored'),
        applicationLine('wrong', { phone: '1', job_id: 7, tenant: 'a' }),
        '{',
        applicationLine('older', { revision: REVISION - 1 }),
        applicationLine('older'),
        applicationLine('forgotten', { revision: REVISION }),
        applicationLine('expired', { expires_at: 1 }),
        jobLine('1'),
        applicationLine('stored', { score: 1 }),
        JSON.stringify({ type: 'erasure', user_id: 'erased', revision: REVISION, ...until }),
      ];
      const path = fileOf();
      rmSync(path);
      const args = ['-', ...files, '--report', path];
      const { exitCode } = await runCommand(importWithoutWaits, args, { input: lines.join('\n') });
      expect([exitCode, statSync(path).mode & 0o777]).toEqual([1, 0o600]);
      const of = (user_id: string) => ({
        ...{ type: 'application', tenant: 'default', job_id: '4007', user_id },
      });
      expect(reportIn(path)).toEqual([
        {
          ...{ line: 2, type: 'application', tenant: 'a', job_id: 7, user_id: 'wrong' },
          outcome: 'refused',
          reason: expect.stringMatching(/^\/job_id must be string; \/phone must be /),
        },
        { line: 3, outcome: 'refused', reason: expect.stringContaining('not JSON') },
        { line: 4, ...of('older'), outcome: 'older' },
        { line: 5, ...of('older'), outcome: 'without_revision' },
        { line: 6, ...of('forgotten'), outcome: 'erased', forgotten_on: '2100-01-01' },
        { line: 7, ...of('expired'), outcome: 'expired' },
        { line: 8, type: 'job', tenant: 'default', id: '1', outcome: 'other_status' },
        { line: 9, ...of('stored'), outcome: 'repeated', first_line: 1, is_stored: true },
        {
          ...of('erased'),
          outcome: 'removed',
          because: 'erased',
          files: ['s3://files/default/cv.pdf'],
        },
      ]);
      expect(await read(applicationKey('default', '4007', 'stored'))).toMatchObject({ score: 1 });
      const again = await run(args);
      expect([again.exitCode, again.err]).toEqual([2, expect.stringContaining(path)]);
    });

    it('leaves only the first ten of an outcome on the screen, and says so', async () => {
      const input = Array<string>(11).fill('{}').join('\n');
      const path = fileOf();
      rmSync(path);
      const { err } = await run(['-', '--dry-run', '--report', path], { input });
      expect(err).toMatch(/\nline 10: .*\nand 1 other, in .*\.ndjson\nCorrect .*\n$/);
      expect(reportIn(path)).toHaveLength(11);
      const without = await run(['-', '--dry-run'], { input });
      expect(without.err).toContain('\nand 1 other, which --report FILE would name\n');
    });
  });

  it.each<[kind: string, text: string | Buffer, message: string]>([
    [
      'CSV',
      '\ufeffjob_id;user_id\n4007;c-1',
      'the file looks like CSV: convert it with DuckDB, as docs/recipes/spreadsheet.sql shows',
    ],
    ['a spreadsheet', Buffer.from('504b0304140006000a', 'hex'), 'the file is a spreadsheet'],
    [
      'a JSON array',
      `[${jobLine('1')},${jobLine('2')}]`,
      "the file is a JSON array: put each record on a line of its own, such as with jq -c '.[]' FILE",
    ],
    ['an array over 4 MiB', `[${`${jobLine('1')},`.repeat(100_000)}]`, 'the file is a JSON array'],
    [
      'a JSON object over several lines',
      JSON.stringify({ type: 'job' }, null, 2),
      'the file is JSON, but not JSON lines: put each record on one line, such as with jq -c . FILE',
    ],
    [
      "DynamoDB's export to S3",
      '{"Item":{"pk":{"S":"TENANT#default#JOB#4007"}}}',
      "the line is in DynamoDB's own JSON, as its export to S3 and aws dynamodb scan write it: make the file with npm run export.",
    ],
    ['aws dynamodb scan', '{"Items":[],"Count":0}', "the line is in DynamoDB's own JSON"],
    ["an item in DynamoDB's JSON", '{"pk":{"S":"x"}}', "the line is in DynamoDB's own JSON"],
    [
      'a page of an API',
      `{"data":[${jobLine('1')}],"next":null}`,
      "the line is an envelope around records, such as a page of an API: put each on a line of its own, such as with jq -c '.data[]' FILE, and convert another system's with DuckDB",
    ],
    [
      'a message of Airbyte',
      '{"type":"RECORD","record":{"stream":"jobs","data":{"id":1}}}',
      'the line is a message of Airbyte or Singer around a record: convert',
    ],
    ['a row of Airbyte', '{"_airbyte_data":{"id":1}}', 'the line is a message of Airbyte'],
    ['a message of Singer', '{"type":"SCHEMA","stream":"x"}', 'the line is a message of Airbyte'],
    [
      'the export of a candidate',
      JSON.stringify(candidateExport, null, 2),
      "the file is a candidate's own export, made for that person: make the file to import with npm run export",
    ],
    ['one on one line', JSON.stringify(candidateExport), "the file is a candidate's own export"],
    ['XML', '<?xml version="1.0"?><jobs a="1,2"/>', 'the file is XML or HTML: convert it to CSV'],
    ['bzip2', 'BZh91AY&SY,', 'the file is compressed with bzip2, xz or zstd: decompress it first'],
    ['xz', Buffer.from('fd377a585a00002c', 'hex'), 'the file is compressed with'],
    ['zstd', Buffer.from('28b52ffd2c', 'hex'), 'the file is compressed with'],
    ['Parquet', 'PAR1\u0015,', 'the file is Parquet: convert it with DuckDB'],
    ['UTF-32', utf32(`\ufeff${jobLine('1')}`), 'the file is in UTF-32: convert it, such as with'],
    ['UTF-32 without a mark', utf32('job,1'), 'the file is in UTF-32'],
    ['UTF-16', Buffer.from('\ufeffjob;1', 'utf16le'), 'the file is in UTF-16: convert it, such'],
    ['UTF-16 without a mark', Buffer.from('job,1', 'utf16le'), 'the file is in UTF-16'],
    ['swapped UTF-16', Buffer.from('\ufeffjob;1', 'utf16le').swap16(), 'the file is in UTF-16'],
    ['another encoding', Buffer.from('{"name":"Jos\u00e9"}', 'latin1'), 'the line is not JSON'],
    ['anything else', 'canary', 'the line is not JSON'],
  ])('says what kind of file it is and what to do: %s', async (_, text, message) => {
    const input = Buffer.concat([Buffer.from('\n'), Buffer.from(text)]);
    const { exitCode, err } = await run(['-', '--dry-run'], { input });
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^line 2: /)]);
    expect(err.slice('line 2: '.length).startsWith(message), err).toBe(true);
  });

  it.each([
    ['a JSON array', `[\n${jobLine('whole')},\n${jobLine('whole')}\n]`],
    ['an envelope', `{"data": [\n${jobLine('whole')},\n${jobLine('whole')}\n]}`],
    ['an indented envelope', `{\n  "data": [\n${jobLine('whole')}\n]}`],
    ['CSV', `id,status\n${jobLine('whole')}`],
    ['an envelope of which a pipe sends the first line first', `{"data": [\n`],
    ['an object of which a pipe sends the first line first', '{\n'],
  ])('writes nothing of %s, not even a line that is a record', async (_, input) => {
    const { exitCode, out, err } = await run(['-', '--table', table.name], { input });
    expect([exitCode, out]).toEqual([1, 'Nothing stored, 1 line refused.\n']);
    expect(err).toMatch(/^line 1: the file .*\nThe import stopped\.\nNothing was imported: .*\n$/);
    expect(await table.read(jobKey('default', 'whole'))).toBeUndefined();
  });

  it.each([
    ['text', Buffer.from('canary\n'.repeat(2 * MOST_UNREADABLE))],
    ["DynamoDB's export to S3", Buffer.from('{"Item":{}}\n'.repeat(2 * MOST_UNREADABLE))],
  ])('stops after a hundred lines in a row that it cannot read: %s', async (_, input) => {
    const { exitCode, out, err } = await run(['-', '--table', table.name], { input });
    expect([exitCode, out]).toEqual([1, `Nothing stored, ${MOST_UNREADABLE} lines refused.\n`]);
    const lines = err.split('\n');
    expect(lines.at(-2)).toBe(
      'Is it the right file? 100 lines in a row cannot be read as records.',
    );
  });

  describe('of two lines about the same item', () => {
    const [NEW, OLD] = [1_793_698_013_589, 1_793_698_013_588];
    const removal = { type: 'removal', job_id: '4007', user_id: 'c-1', expires_at: EXPIRES_AT };
    const removalLine = (revision: number) => JSON.stringify({ ...removal, revision });
    const application = (revision?: number) => applicationLine('c-1', { revision });
    const erasureLine = (revision: number) =>
      JSON.stringify({ type: 'erasure', user_id: 'c-9', revision, expires_at: EXPIRES_AT });

    const STORED = ', and is stored';
    const LEFT = ', and is left out';
    it.each<[what: string, lines: [string, string], options: string[], end: string, item: string]>([
      ['applications', [application(), application()], [], STORED, 'application'],
      ['jobs', [jobLine('2'), jobLine('2')], [], STORED, 'job'],
      [
        'an application, its removal',
        [application(OLD), removalLine(OLD)],
        [],
        STORED,
        'application',
      ],
      ['a newer application', [application(OLD), application(NEW)], [], STORED, 'application'],
      ['an older one', [application(NEW), application(OLD)], [], LEFT, 'application'],
      ['an older one', [application(NEW), application(OLD)], ['--replace'], STORED, 'application'],
      ['one without a revision', [application(OLD), application()], [], LEFT, 'application'],
      ['a removal, its application', [removalLine(NEW), application(NEW)], [], LEFT, 'application'],
      ['an older removal', [application(NEW), removalLine(OLD)], [], LEFT, 'application'],
      [
        'an older removal',
        [application(NEW), removalLine(OLD)],
        ['--replace'],
        STORED,
        'application',
      ],
      ['jobs', [jobLine('2'), jobLine('2', 'closed')], [], LEFT, 'job'],
      ['jobs', [jobLine('2'), jobLine('2', 'closed')], ['--replace'], STORED, 'job'],
      ['erasures', [erasureLine(NEW), erasureLine(OLD)], ['--replace'], LEFT, 'candidate'],
    ])('names both, and counts one: %s', async (_, lines, options, end, item) => {
      const empty = await createTestTable();
      const input = [jobLine('1'), ...lines].join('\n');
      const advice =
        'Check the lines about the same item, named above: only one of them is stored.\n';
      const count = '1 line about the same item as another line, 0 lines refused.';
      for (const isDry of [true, false]) {
        const where = isDry ? ['--dry-run'] : ['--table', empty.name];
        const args = ['-', ...where, ...options];
        const { exitCode, out, err } = await runCommand(importWithoutWaits, args, { input });
        const remark = `line 3 is about the same ${item} as line 2${isDry ? '' : end}`;
        expect([exitCode, err]).toEqual([1, `${remark}\n${advice}`]);
        expect(out).toContain(isDry ? `${count} The table was not read.\n` : `${count}\n`);
      }
      expect(await storedIn(empty)).toHaveLength(2);
    });
  });

  it('says that a job has another status, which an import does not change', async () => {
    const empty = await createTestTable();
    const args = ['-', '--table', empty.name];
    await run(args, { input: jobLine('1', 'closed') });
    const { exitCode, out, err } = await run(args, { input: jobLine('1') });
    expect([exitCode, out]).toEqual([
      1,
      'Nothing stored, 1 line left out because the job has another status, 0 lines refused.\n',
    ]);
    expect(err).toBe(
      'line 1 is left out: the job is stored with another status, which only --replace changes\n' +
        "Set these jobs' statuses by the API, or import their lines with --replace.\n",
    );
    expect(await run([...args, '--replace'], { input: jobLine('1') })).toMatchObject({
      exitCode: 0,
    });
    const again = await run(args, { input: jobLine('1') });
    expect([again.exitCode, again.out]).toEqual([0, '1 job stored, 0 lines refused.\n']);
  });

  it.each(['', '\n\n', '\r'])('fails if there is nothing to write: %j', async (input) => {
    const piped = await run(['-', '--table', table.name], { input });
    expect(piped).toMatchObject({ exitCode: 1, err: expect.stringContaining('Standard input') });
    const file = fileOf(input);
    const named = await run([file, '--table', table.name]);
    expect(named).toMatchObject({ exitCode: 1, err: expect.stringContaining(file) });
  });

  it('sets the expiry of applications without expires_at, with --expire-after-days', async () => {
    const empty = await createTestTable();
    const created_at = CREATED_AT;
    const input = [
      applicationLine('c-1', { created_at }),
      applicationLine('c-2', { created_at, expires_at: null }),
      applicationLine('c-3', { created_at, expires_at: EXPIRES_AT }),
      jobLine('4007'),
    ].join('\n');
    const args = ['-', '--table', empty.name, '--expire-after-days', '10'];
    expect((await run(args, { input })).exitCode).toBe(0);
    const end = Date.parse('2099-01-11T00:00:00.000Z') / 1000;
    const expiries = (await storedIn(empty)).map(({ expires_at }) => expires_at);
    expect(expiries).toEqual([end, end, EXPIRES_AT, undefined]);
  });

  it('finds the local service by its data folder, without credentials or a region', async () => {
    const file = fileOf(jobLine('local'));
    const { exitCode, out, err } = await run([file, '--data', directory]);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/^.*npm start.*\n$/);
    writeState(directory, stateWith(table));
    expect(await run([file, '--data', directory], { env: {} })).toMatchObject({ exitCode: 0 });
    expect(await table.read(jobKey('default', 'local'))).toBeDefined();
  });

  it('shows its progress on a terminal once a second, and clears it for other lines', async () => {
    const file = fileOf('{"', jobLine('slow'));
    const slow = { respondsAfter: () => setTimeout(ONE_PROGRESS_MS) };
    const { err } = await runAmid(['none', slow], (env) =>
      run([file, '--table', table.name], { env, isTTY: true }),
    );
    const [first, refusal, second] = err.replaceAll('\u001b', 'ESC').split('\rESC[K');
    expect([first, refusal]).toEqual(['', expect.stringMatching(/^line 1: .*\n$/)]);
    expect(second).toBe(
      '0 lines stored, 1 refused, 100 % of the file read. To continue, use --from-line 1.\r',
    );
  });
});

describe('npm run import without a region in the environment', () => {
  const { AWS_REGION: _, ...withoutRegion } = environment();

  it('uses the region of --region', async () => {
    const args = [SAMPLE, '--table', table.name, '--region', 'eu-west-1', ...bucket];
    expect((await run(args, { env: withoutRegion })).exitCode).toBe(0);
  });
});
