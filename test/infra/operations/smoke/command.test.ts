import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { writeState } from '../../../../infra/cli/state.ts';
import { command } from '../../../../infra/operations/smoke/command.ts';
import { runCommand } from '../../../support/operator-command.ts';
import { useSmokeCommand } from '../../../support/smoke-command.ts';
import type { PassingAnswer } from '../../../support/spoiling-proxy.ts';

const smoke = useSmokeCommand();

describe('npm run smoke', () => {
  it('passes on a service that works, shows the time of each check, and leaves nothing', async () => {
    const { exitCode, out, err } = await smoke.run();
    expect([exitCode, err]).toEqual([0, '']);
    expect(out.match(/^ok +\d+ ms {2}\w.+$/gm)).toHaveLength(8);
    expect(out).toMatch(/passed: 8 checks\.\n$/);
    expect(await smoke.left()).toEqual([]);
  });

  it.each([
    ['as it was sent', 'WWW-Authenticate', () => undefined],
    [
      'under the name that API Gateway may give it',
      'x-amzn-remapped-www-authenticate',
      ({ headers }: PassingAnswer) => {
        const { 'www-authenticate': challenge } = headers;
        if (challenge === undefined) return;
        delete headers['www-authenticate'];
        headers['x-amzn-remapped-www-authenticate'] = challenge;
      },
    ],
  ])('accepts the challenge of a 401 %s, and says which name it had', async (_, name, spoil) => {
    smoke.proxy.spoil = spoil;
    const { exitCode, out } = await smoke.run();
    expect(exitCode).toBe(0);
    expect(out).toMatch(new RegExp(`^ok .* rejects a read without a token \\(.*${name}\\)$`, 'm'));
  });

  it('only uses jobs whose ids begin with smoke-, and changes a status and changes it back', async () => {
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

  it('checks only rejections without a table, and says what it did not check', async () => {
    const { exitCode, out } = await smoke.run(['--base-url', smoke.proxy.url]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/passed: 4 checks\.\nNot checked without --table/);
  });

  it('retries a read that misses what was written', async () => {
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

  it('finds the address and the table of the local service', async () => {
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
    const env = { TOKEN: await service.issuer.mint() };
    const { exitCode, out } = await runCommand(command, ['--data', data], { env });
    expect([exitCode, out]).toEqual([0, expect.stringContaining('passed: 8 checks.')]);
    rmSync(data, { recursive: true });
  });

  it('takes the token from standard input', async () => {
    const input = `${await smoke.service.issuer.mint()}\n`;
    const args = ['--base-url', smoke.proxy.url, '--token', '-'];
    const { exitCode } = await runCommand(command, args, { input });
    expect(exitCode).toBe(0);
  });

  it('names a table that cannot be written, and checks nothing', async () => {
    const args = ['--base-url', smoke.proxy.url, '--table', 'no-such-table'];
    const { exitCode, out, err } = await smoke.run(args);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/^.*no-such-table.*\n$/);
  });
});

describe('npm run smoke with a wrong command line', () => {
  const url = ['--base-url', 'https://api.example.com'];

  it.each([
    [['--base-url', 'api.example.com'], '--base-url'],
    [['--base-url', 'http://api.example.com'], '--base-url'],
    [['--base-url', 'ftp://localhost'], '--base-url'],
    [['--base-url', 'https://api.example.com?x=1'], '--base-url'],
    [['--table', 't'], '--base-url'],
    [[...url, '--region', 'eu-west-1'], '--region'],
    [[...url, '--table', 't', '--data', 'd'], '--data'],
    [[...url, '--table', ''], '--table'],
    [[...url, '--timeout', '0'], '--timeout'],
    [[...url, '--tenant', 'a\nb'], '--tenant'],
    [url, 'TOKEN'],
    [[...url, '--token', 'se\u00e7ret'], 'token'],
    [[...url, 'more'], 'more'],
  ])('%j: names %s, and prints the usage', async (args, named) => {
    const { exitCode, out, err } = await runCommand(command, args);
    const [message, , usage] = err.split('\n');
    expect([exitCode, out]).toEqual([2, '']);
    expect(message).toContain(named);
    expect(usage).toMatch(/^Usage: TOKEN=… npm run smoke/);
    expect(err).not.toContain('se\u00e7ret');
  });
});
