import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/import-command.ts';
import { environment } from '../support/operator-command.ts';
import { FaultyProxy } from '../support/proxy.ts';
import { applicationRecord, jobRecord } from '../support/records.ts';
import { createTestTable, type TestTable } from '../support/table.ts';
import { applicationOf, type Person, person, tracesOf } from './personal-data/canaries.ts';
import { awsVariables, FunctionProcess } from './personal-data/function-process.ts';
import { printCounts } from './random-cases.ts';

const who = person(2);
const secrets = Object.values(who);
const address = `https://user:${encodeURIComponent(who.secret)}@login.example.com/${who.email}`;

describe('personal data and credentials in a wrong environment', () => {
  const counts = { starts: 0, 'bytes of output': 0, hits: 0 };
  afterAll(() => printCounts('wrong environments', counts));
  const proper = {
    TABLE_NAME: 'table',
    ISSUER: address,
    AUDIENCE: who.email,
    JWKS_URI: address,
  };

  it.each<[string, Record<string, string>]>([
    ['TABLE_NAME', { TABLE_NAME: '' }],
    ['ISSUER', { ISSUER: address.replace('https', 'ftp') }],
    ['ISSUER', { ISSUER: `${who.name} ${who.secret}` }],
    ['ISSUER', { ISSUER: `https://[${who.secret}` }],
    ['AUDIENCE', { AUDIENCE: ' , ' }],
    ['JWKS_URI', { JWKS_URI: address.replace('https', 'file') }],
    ['SCOPE_PREFIX', { SCOPE_PREFIX: `"${who.email} ${who.secret}"` }],
    ['TRANSITION_POLICY', { TRANSITION_POLICY: who.secret }],
  ])('are not in the error that names %s: %j', async (variable, wrong) => {
    const running = new FunctionProcess('update-job-status', {
      ...awsVariables(),
      ...proper,
      ...wrong,
    });
    expect(await running.started()).toBe(1);
    const output = running.stdout + running.stderr;
    expect(running.stderr).toMatch(new RegExp(`^Error: .*\\b${variable}\\b`, 'm'));
    const traces = tracesOf(secrets, output);
    counts.starts += 1;
    counts['bytes of output'] += output.length;
    counts.hits += traces.length;
    expect(traces).toEqual([]);
  });

  it('are not written if the environment is right', async () => {
    const running = new FunctionProcess('update-job-status', { ...awsVariables(), ...proper });
    expect(await running.started()).toBe('ready');
    await running.end();
    expect([running.stdout, running.stderr]).toEqual(['', '']);
  });
});

/** Lines that are wrong in every way, each with the data of a person. */
function wrongLines(of: Person): string[] {
  const full = applicationRecord(applicationOf(of));
  const records: object[] = [
    jobRecord({ status: of.name }),
    jobRecord({ id: [of.email] }),
    jobRecord({ tenant: `${of.email}\n` }),
    { ...full, type: of.name },
    { ...full, email: [of.email] },
    { ...full, created_at: of.phone },
    { ...full, score: of.summary },
    { ...full, user_id: of.email.repeat(9) },
    { ...full, user_id: `${of.name}\u0000` },
    { ...full, job_id: '', expires_at: of.phone },
    { ...full, education: of.place },
    { ...full, experience: [{ title: [of.summary], start_date: of.phone }] },
    { ...full, evaluations: [{ id: 7, evaluator: of.name, recommendation: of.comment }] },
    { ...full, salary: of.secret },
    { ...full, summary: of.summary.repeat(20_000) },
    [full],
  ];
  const whole = JSON.stringify(full);
  return [
    ...records.map((record) => JSON.stringify(record)),
    whole.slice(0, -1),
    `${of.name},${of.email},${of.phone}`,
    `"${of.email}"`,
    `${whole} ${of.secret}`,
    whole.replace(`"${of.email}"`, of.email),
    whole.padEnd(5_000_000, of.signedUrl),
  ];
}

describe('personal data in a file to import', () => {
  let table: TestTable;
  let proxy: FaultyProxy;
  const counts = { lines: 0, runs: 0, 'bytes of output': 0, hits: 0 };
  beforeAll(async () => {
    [table, proxy] = await Promise.all([createTestTable(), FaultyProxy.start()]);
  });
  afterAll(async () => {
    await proxy.stop();
    printCounts('personal data in imports', counts);
  });

  function search({ out, err }: { out: string; err: string }): void {
    const traces = tracesOf(secrets, out + err);
    counts.runs += 1;
    counts['bytes of output'] += out.length + err.length;
    counts.hits += traces.length;
    expect(traces).toEqual([]);
  }

  it('is not written for refused lines, each of which is named', async () => {
    const lines = wrongLines(who);
    const good = JSON.stringify(applicationRecord(applicationOf(who)));
    const broken = Buffer.concat([
      Buffer.from(`\n{"email":"${who.email}","name":"`),
      Buffer.of(255),
    ]);
    const input = Buffer.concat([Buffer.from([...lines, good].join('\n')), broken]);
    const done = await run(['-', '--table', table.name], { input });
    search(done);
    counts.lines += lines.length + 2;
    expect(done.out).toBe(`0 jobs and 1 application written, ${lines.length + 1} lines refused.\n`);
    expect(done.err.trimEnd().split('\n')).toEqual(
      [...lines.keys(), lines.length + 1].map((at) => expect.stringMatching(`^line ${at + 1}: `)),
    );
    expect(done.exitCode).toBe(1);
  });

  const quoted = JSON.stringify(applicationOf(who));
  const quoting = (type: string) =>
    JSON.stringify({ __type: `com.amazonaws#${type}`, message: quoted });

  it.each([
    ['a refusal that quotes the item', 400, quoting('ValidationException')],
    ['an unknown failure that quotes it', 400, quoting('Strange')],
    ['something that is no JSON', 200, quoted.slice(9)],
  ])('is not written if the database answers with %s', async (_, status, body) => {
    proxy.expect({ status, body });
    const input = JSON.stringify(applicationRecord(applicationOf(who)));
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const done = await run(['-', '--table', table.name], { input, env });
    search(done);
    expect(done.exitCode).toBe(1);
    expect(done.err).toContain('continue from line 1.');
  });
});
