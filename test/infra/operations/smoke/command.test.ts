import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { writeState } from '../../../../infra/cli/state.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { useSmokeCommand } from '../../../support/smoke-command.ts';

const smoke = useSmokeCommand();

describe('npm run smoke', () => {
  it('passes where the service is well, tells the time of each check, and leaves nothing', async () => {
    const { exitCode, out, err } = await smoke.run();
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.replace(/ +\d+ ms/g, ' N ms')).toBe(
      `${[
        'ok     N ms  refuses to read without a token',
        'ok     N ms  knows no application that does not exist',
        'ok     N ms  refuses a status that is none',
        'ok     N ms  knows no job that does not exist',
        'ok     N ms  reads the application, field by field',
        'ok     N ms  sets another status',
        'ok     N ms  refuses a stale If-Match',
        'ok     N ms  restores the status',
        'The smoke test has passed: 8 checks.',
      ].join('\n')}\n`.replace(/ok +N/g, 'ok N'),
    );
    expect(await smoke.left()).toEqual([]);
  });

  it('touches jobs alone whose ids begin with smoke-, and sets a status and sets it back', async () => {
    const paths: string[] = [];
    const tags: (string | undefined)[] = [];
    smoke.proxy.spoil = ({ method, path, headers, status }) => {
      paths.push(path);
      if (method === 'PATCH' && status === 200) tags.push(headers.etag);
    };
    await smoke.run();
    expect(paths).toHaveLength(8);
    for (const path of paths) expect(path).toMatch(/^\/v1\/jobs\/smoke-[0-9a-f-]{36}/);
    expect(tags).toEqual(['"2"', '"3"']);
  });

  it('checks refusals alone without a table, and says what it has not checked', async () => {
    const { exitCode, out } = await smoke.run([]);
    expect(exitCode).toBe(0);
    expect(out).toContain('The smoke test has passed: 4 checks.');
    expect(out).toContain('Not checked, for want of --table: reading an application, setting');
  });

  it('waits for a read that comes before what was written', async () => {
    let reads = 0;
    let missed: string | undefined;
    smoke.proxy.spoil = (answer) => {
      if (answer.method !== 'GET') return;
      if (answer.status === 404) missed ??= answer.body;
      if (answer.status !== 200) return;
      reads += 1;
      if (reads < 3) Object.assign(answer, { status: 404, body: missed });
    };
    expect((await smoke.run()).exitCode).toBe(0);
    expect(reads).toBe(3);
  });

  it('tests the local service without being told its address or table', async () => {
    const { service, proxy } = smoke;
    const data = mkdtempSync(join(tmpdir(), 'recruitment-smoke-'));
    writeState(data, {
      pid: process.pid,
      baseUrl: proxy.url,
      issuer: service.issuer.url,
      tokenEndpoint: `${service.issuer.url}/token`,
      databaseEndpoint: inject('databaseEndpoint'),
      region: 'us-east-1',
      tableName: service.table.name,
    });
    const env = { PATH: process.env.PATH, TOKEN: await service.issuer.mint() };
    const { exitCode, out } = await runCommand('smoke', ['--data', data], { env });
    expect([exitCode, out]).toEqual([0, expect.stringContaining('has passed: 8 checks.')]);
    rmSync(data, { recursive: true });
  });

  it('takes the token from standard input', async () => {
    const input = `${await smoke.service.issuer.mint()}\n`;
    const args = ['--base-url', smoke.proxy.url, '--token', '-'];
    const { exitCode } = await runCommand('smoke', args, { input });
    expect(exitCode).toBe(0);
  });

  it('says that the table cannot be written, and tests nothing', async () => {
    const { exitCode, out, err } = await smoke.run(['--table', 'no-such-table']);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toContain('There is no table no-such-table in this account and region.');
  });
});

describe('npm run smoke, wrongly used', () => {
  const url = ['--base-url', 'https://api.example.com'];

  it.each([
    [['--base-url', 'api.example.com'], '--base-url must be an https URL'],
    [['--base-url', 'http://api.example.com'], '--base-url must be an https URL'],
    [['--base-url', 'ftp://localhost'], '--base-url must be an https URL'],
    [['--base-url', 'https://api.example.com?x=1'], '--base-url must be an https URL'],
    [['--table', 't'], '--table goes with --base-url.'],
    [[...url, '--region', 'eu-west-1'], '--region goes with --table.'],
    [[...url, '--table', 't', '--data', 'd'], '--data is of the local service'],
    [[...url, '--table', ''], 'An option has an empty value.'],
    [[...url, '--timeout', '0'], '--timeout must be 1 to 99 seconds.'],
    [[...url, '--tenant', 'a\nb'], '--tenant cannot be a tenant.'],
    [url, 'Give an access token in the variable TOKEN.'],
    [[...url, '--token', 'se\u00e7ret'], 'The access token has a sign that none has.'],
    [[...url, 'more'], 'Unexpected argument'],
  ])('%j: says what is wrong, and how to use it', async (args, message) => {
    const { exitCode, out, err } = await runCommand('smoke', args, { env: environment() });
    expect([exitCode, out]).toEqual([2, '']);
    expect(err.startsWith(message)).toBe(true);
    expect(err).toContain('Usage: TOKEN=… npm run smoke');
    expect(err).not.toContain('se\u00e7ret');
  });
});
