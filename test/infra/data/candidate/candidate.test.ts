import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { applicationKey, candidateKey, erasureKey } from '../../../../functions/store/keys.ts';
import { writeState } from '../../../../infra/command/service-state.ts';
import { candidateCommand } from '../../../../infra/data/candidate/candidate.ts';
import { MAX_REQUESTS } from '../../../../infra/data/records/in-parallel.ts';
import { parseRecord } from '../../../../infra/data/records/records.ts';
import { apply, HOSTILE_JOBS, jobs, leftIn } from '../../../support/candidates.ts';
import { test } from '../../../support/fixtures.ts';
import { fullApplication } from '../../../support/items.ts';
import {
  type Ended,
  environment,
  type Run,
  runCommand,
  start,
} from '../../../support/operator-command.ts';
import { stateWith } from '../../../support/table.ts';

/** Short pauses suffice, because the embedded database updates the index at once. */
const command = candidateCommand({ pauseMs: 5, idleSearches: 60, settleMs: 0 });

const PATIENCE_MS = 60_000;

const END = /^\d{4}-\d\d-\d\dT[\d:.]+Z candidate "c-1" of tenant "default": .+$/m;

const whose = ['--tenant', 'default', '--id', 'c-1'];
const bucket = ['--files-bucket', 'files'];

const it = test
  .extend('run', ({ table }) => (args: string[], options?: Run) => {
    return runCommand(command, [...args, '--table', table.name], options);
  })
  .extend('erase', ({ run }) => (...more: string[]) => {
    return run(['erase', ...whose, '--yes', ...more]);
  });

/** A shell would change these names if they were not quoted. */
const FILES = [
  "s3://files/default/c-1/it's a résumé.pdf",
  's3://files/default/c-1/$HOME "`ls`" *.mp4',
];
const named = { resume_url: FILES[0], video_url: FILES[1] };

/** Arguments that the AWS CLI gets when a shell runs the commands at the end of `output`. */
async function awsArguments(output: string): Promise<string[]> {
  const commands = output.slice(output.indexOf('\naws '));
  const aws = 'aws() { printf "%s|" "$@"; echo; }';
  const { stdout } = await promisify(execFile)('bash', ['-c', `${aws}${commands}`]);
  return stdout.trim().split('\n');
}

const FOREIGN: [uri: string, why: string][] = [
  ['s3://company-payroll/2026/salaries.csv', 'names a bucket other than filesBucket'],
  ['s3://files/acme/c-1/resume.pdf', "is outside the tenant's key prefix"],
  ['s3://files/$(ls)?\nls\u009b\u{e0041}', 'is not s3://BUCKET/KEY'],
  ['S3://files/default/c-1/resume.pdf', 'is not s3://BUCKET/KEY'],
  ['s3://files/default/c-1/\u202efdp.exe', 'has invisible characters'],
];

describe.each([['export'], ['erase', '--yes']])('npm run candidate -- %s %s', (...action) => {
  const printed = ({ out, err }: Ended) => (action[0] === 'export' ? err : out);

  it.for(FOREIGN)(
    'prints no command for %j, and names the file',
    async ([uri, why], { table, run }) => {
      const keys = {
        ...applicationKey('default', '\xad', 'c-1'),
        ...candidateKey('default', 'c-1'),
      };
      await table.put({ ...keys, resume_url: uri });
      const told = printed(await run([...action, ...whose, ...bucket]));
      expect(told).not.toMatch(/^aws |^ls/m);
      const [, shown = '', fault] = /^# skipped: (".*") (.*)$/mu.exec(told) ?? [];
      expect([JSON.parse(shown), fault]).toEqual([uri, expect.stringContaining(why)]);
      expect(told).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    },
  );

  it('prints no command without --files-bucket, and commands for the whole bucket with --whole-bucket', async ({
    table,
    run,
  }) => {
    const [, [uri] = ['']] = FOREIGN;
    await apply(table, {}, ['1'], { ...named, resume_url: uri });
    const whole = await run([...action, ...whose, ...bucket, '--whole-bucket']);
    expect(printed(whole)).toContain(` '${uri}'`);
    await apply(table, {}, ['1'], named);
    const told = printed(await run([...action, ...whose]));
    expect(told).not.toMatch(/^aws /m);
    expect(told.match(/^# skipped: .* --files-bucket$/gm)).toHaveLength(2);
  });
});

describe('npm run candidate -- export', () => {
  it('prints commands that make presigned URLs of the files', async ({ table, run }) => {
    await apply(table, {}, ['4007', '4008'], named);
    const { out, err } = await run(['export', ...whose, ...bucket, '--region', 'us-east-1']);
    expect(JSON.parse(out).applications[0]).toMatchObject(named);
    const options = '--expires-in|900|--region|us-east-1|';
    expect(await awsArguments(err)).toEqual(FILES.map((file) => `s3|presign|${file}|${options}`));
    expect(err).toContain(
      '\n2 files in S3. Each command prints a URL that expires after 15 minutes:\n',
    );
    const elsewhere = await run(['export', ...whose, ...bucket]);
    expect(elsewhere.err).toMatch(/ --expires-in 900\n/);
  });

  it('writes all applications as one document to standard output, and counts them', async ({
    table,
    run,
  }) => {
    // Earlier releases stored ids that no request can address.
    await apply(table, { id: 'a/b' }, HOSTILE_JOBS, fullApplication);
    const { exitCode, out, err } = await run(['export', '--tenant', 'default', '--id', 'a/b']);
    expect([exitCode, err]).toEqual([0, `${HOSTILE_JOBS.length} applications exported.\n`]);
    const { applications, ...document } = JSON.parse(out);
    expect(document).toMatchObject({ tenant: 'default', candidate_id: 'a/b' });
    const exported = applications.map(({ job_id }: { job_id: string }) => job_id);
    expect(exported.toSorted()).toEqual(HOSTILE_JOBS.toSorted());
    expect(applications[0]).toMatchObject({ ...fullApplication, user_id: 'a/b' });
  });

  it('writes a file that only its owner may read, and never overwrites a file', async ({
    table,
    folder,
    run,
  }) => {
    await apply(table, {}, ['4007']);
    const output = join(folder, 'export.json');
    const args = ['export', ...whose, '--output', output];
    const { exitCode, out, err } = await run(args);
    expect([exitCode, out, err]).toEqual([0, '', '1 application exported.\n']);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const text = readFileSync(output, 'utf8');
    expect(JSON.parse(text).applications).toHaveLength(1);
    const again = await run(args);
    expect([again.exitCode, again.out]).toEqual([2, '']);
    expect(again.err).toContain(output);
    expect(readFileSync(output, 'utf8')).toBe(text);
  });

  it('fails and writes nothing if it finds nothing', async ({ folder, run }) => {
    const output = join(folder, 'nothing.json');
    const { exitCode, out, err } = await run(['export', ...whose, '--output', output]);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/^.*No application was found.*\n$/);
    expect(existsSync(output)).toBe(false);
  });
});

describe('npm run candidate -- erase', () => {
  it('removes the applications, logs their jobs and their number, and then finds none', async ({
    table,
    erase,
  }) => {
    await apply(table, {}, ['4007', 'a"b'], {
      name: 'Canary Example',
      email: 'canary@example.com',
    });
    const { exitCode, out, err } = await erase();
    expect([exitCode, err]).toEqual([0, '']);
    const lines = out.trim().split('\n');
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /);
    const [, date = '', record = ''] =
      / recorded the erasure, as of (\S+): (.*)$/.exec(String(lines.shift())) ?? [];
    const { revision } = { ...(await table.read(erasureKey('default', 'c-1'))) };
    expect(Date.parse(date)).toBe(revision);
    expect(JSON.parse(record)).toEqual({
      ...{ type: 'erasure', tenant: 'default', user_id: 'c-1', revision },
    });
    const expires_at = 4_102_444_800;
    const restored = parseRecord({ ...JSON.parse(record), expires_at }, { now: Number(revision) });
    expect(restored).toMatchObject({ kind: 'erasure', item: { revision } });
    const erased = lines
      .slice(0, -1)
      .map((line) => line.slice(line.indexOf(' ') + 1))
      // Raising the erasure's revision records it again, which prints a second such line.
      .filter((line) => !line.startsWith('recorded'));
    expect(erased.toSorted()).toEqual([
      'erasing the application to job "4007"',
      'erasing the application to job "a\\"b"',
      'removed the application to job "4007"',
      'removed the application to job "a\\"b"',
    ]);
    expect(lines.at(-1)).toMatch(END);
    expect(lines.at(-1)).toContain('2 applications removed. The index lists no others');
    expect(out).not.toMatch(/canary/i);
    expect(await leftIn(table)).toEqual([]);
    const again = await erase();
    expect([again.exitCode, again.out]).toEqual([0, expect.stringContaining('No application')]);
    expect(again.out).toMatch(/ Check the tenant and the id\. .* --scan .*\n$/);
  });

  it.for(['--yes', '--yes --scan'])(
    'completes the recorded erasure if it is repeated, and leaves what is newer until --new: %s',
    async (options, { table, run }) => {
      const erase = (...more: string[]) => run(['erase', ...whose, ...options.split(' '), ...more]);
      const key = erasureKey('default', 'c-1');
      const revision = Date.now() - 60_000;
      const recorded = { ...key, revision, expires_at: 4_102_444_800 };
      await table.put(recorded);
      await apply(table, {}, ['old', 'newest'], { revision });
      await apply(table, {}, ['new'], { revision: revision + 1 });
      const { exitCode, out, err } = await erase();
      expect([exitCode, err]).toEqual([1, expect.stringContaining('add --new.')]);
      const date = new Date(revision).toISOString();
      expect(out).toContain(`completing the erasure that was recorded before, as of ${date}: {`);
      expect(out).toContain(
        'skipped: the application to job "new", which is newer than the erasure\n',
      );
      expect(out).toContain('2 applications removed');
      expect(await table.read(key)).toEqual(recorded);
      const anew = await erase('--new');
      expect([anew.exitCode, anew.out]).toEqual([0, expect.stringContaining(' recorded the')]);
      expect(await leftIn(table)).toEqual([]);
    },
  );

  it('records an erasure of now if the recorded one has expired', async ({ table, erase }) => {
    await apply(table, {}, ['4007'], { revision: Date.now() });
    const expires_at = Math.floor(Date.now() / 1000) - 1;
    await table.put({ ...erasureKey('default', 'c-1'), revision: 1_790_000_000_000, expires_at });
    expect(await erase()).toMatchObject({ exitCode: 0 });
    expect(await leftIn(table)).toEqual([]);
  });

  it('asks about a repetition with the time of the recorded erasure', async ({ table, run }) => {
    const revision = 1_790_000_000_000;
    await table.put({ ...erasureKey('default', 'c-1'), revision });
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.end('\n');
    const { err } = await run(['erase', ...whose], { input });
    expect(err).toContain(`completes the erasure as of ${new Date(revision).toISOString()}`);
  });

  it('names the files before it removes an application, and ends with the commands that delete the files', async ({
    table,
    erase,
  }) => {
    await apply(table, {}, ['4007'], named);
    const { out } = await erase(...bucket);
    const [, logged = ''] = out.split('\n');
    const quoted = FILES.map((file) => JSON.stringify(file)).join(', ');
    expect(logged).toMatch(/ erasing the application to job "4007"; its files: /);
    expect(logged).toContain(quoted);
    expect(out).toContain('\n2 files left in S3. These commands delete them');
    expect(await awsArguments(out)).toEqual(FILES.map((file) => `s3|rm|${file}|`));
  });

  it('names the folder with the files of the local service', async ({ table, folder }) => {
    await apply(table, {}, ['1'], { resume_url: 's3://recruitment-local/default/c-1/resume.pdf' });
    writeState(folder, stateWith(table));
    const options = [...whose, '--data', folder];
    const exported = await runCommand(command, ['export', ...options]);
    const where = `1 file of the candidate is in ${join(folder, 'files')}`;
    expect(exported.err.trimEnd().split('\n').at(-1)).toBe(`${where}.`);
    const { out } = await runCommand(command, ['erase', ...options, '--yes']);
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      `${where}: delete the candidate's files yourself.`,
    );
  });

  it.for([
    ['c-1', 'c-1', 'j-0", the application to job "j-1"\\.', 0],
    ['c-1', '', 'j-0", the application to job "j-1"\\.', 2],
    ['c-1', '\nc-1', 'j-0", the application to job "j-1"\\.', 2],
    ['c-1 ', 'c-1', 'No application', 2],
  ] as const)(
    'shows the applications of %j that it found, and removes them only if the operator types the id, as in %j',
    async ([id, typed, found, left], { table, run }) => {
      await apply(table, {}, jobs(2));
      const input = Object.assign(new PassThrough(), { isTTY: true });
      input.end(typed && `${typed}\n`);
      const { err } = await run(['erase', '--tenant', 'default', '--id', id], { input });
      expect(err).toMatch(
        new RegExp(`permanently delete .*${table.name}.*\\n.*${found}.*\\n.*${id}`),
      );
      expect(await leftIn(table)).toHaveLength(left);
    },
  );

  it('removes nothing if it cannot write the erasure log, and says so', async ({ table }) => {
    await apply(table, {}, ['4007']);
    const args = ['erase', ...whose, '--yes', '--table', table.name];
    const child = start('data/candidate/candidate', args);
    child.stdout.destroy();
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    expect(await ended).toEqual([[1, null], 'The erasure log cannot be written.\n']);
    expect(await leftIn(table)).toHaveLength(1);
  });

  it('finds applications that the index lacks with --scan', async ({ table, erase }) => {
    await apply(table, {}, jobs(2));
    await table.put({ pk: 'TENANT#default#JOB#1', sk: 'APPLICATION#c-1', name: 'Ana Example' });
    const { exitCode, out } = await erase('--scan');
    expect([exitCode, out]).toEqual([0, expect.stringContaining('3 applications removed')]);
    expect(out).toMatch(/ No others are left to remove\.\n$/);
    expect(await leftIn(table)).toEqual([]);
    expect((await erase('--scan')).out).not.toContain('--scan');
  });

  it('changes nothing if there is no terminal to confirm the erasure', async ({ table, run }) => {
    await apply(table, {}, jobs(2));
    const { exitCode, out, err } = await run(['erase', ...whose]);
    expect([exitCode, out]).toEqual([2, expect.stringMatching(END)]);
    expect(out).toContain('--yes');
    expect(err).toContain('--yes');
    expect(await leftIn(table)).toHaveLength(2);
  });

  it('logs an interruption, and the same command erases the rest', async ({
    table,
    proxy,
    run,
    erase,
  }) => {
    for (const job of jobs(60)) {
      await apply(table, {}, [job], { resume_url: `s3://files/default/${job}.pdf` });
    }
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = once(signal, 'abort');
    // Before the first removal: three requests look for and record the erasure, one searches, 60 read the applications,
    // and one reads the time.
    const before = 5 + 60;
    // The removals get responses only after the interruption.
    const faults = Array.from({ length: before }, () => 'none' as const);
    proxy.expect(...faults, { respondsAfter: () => aborted });
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const ended = run(['erase', ...whose, '--yes', ...bucket], { env, signal });
    await expect
      .poll(() => proxy.requests.length, { timeout: PATIENCE_MS })
      .toBeGreaterThanOrEqual(before + MAX_REQUESTS);
    controller.abort(new Error('Stopped by SIGINT.'));
    const { exitCode, out, err } = await ended;
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/Stopped by SIGINT\.\n$/)]);
    expect(out).toMatch(END);
    const removed = out.split('\n').filter((line) => line.includes(' removed ')).length;
    expect(removed).toBeGreaterThanOrEqual(MAX_REQUESTS);
    expect(removed).toBeLessThan(60);
    expect(await leftIn(table)).toHaveLength(60 - removed);
    const { out: rest } = await erase(...bucket);
    expect(rest).toContain(`${60 - removed} application`);
    expect(await leftIn(table)).toEqual([]);
    const files = (out + rest).match(/(?<=^aws s3 rm 's3:\/\/files\/default\/).*(?=\.pdf'$)/gm);
    expect(new Set(files)).toEqual(new Set(jobs(60)));
  });
});

describe('npm run candidate on a table that cannot be used', () => {
  it.each([
    ['without credentials', ['--yes', '--table', 't'], 'credentials'],
    ['without a service', ['--yes', '--data', tmpdir()], 'npm start'],
  ])('erase %s: the erasure log says that the erasure failed', async (_, more, why) => {
    const { AWS_ACCESS_KEY_ID: __, AWS_SECRET_ACCESS_KEY: ___, ...env } = environment();
    const { exitCode, out, err } = await runCommand(command, ['erase', ...whose, ...more], { env });
    expect([exitCode, err]).toEqual([1, expect.stringContaining(why)]);
    expect(out).toMatch(END);
    expect(out).toContain(err);
  });
});
