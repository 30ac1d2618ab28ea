import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command } from '../../../infra/local/start.ts';
import { command as tokenCommand } from '../../../infra/local/token.ts';
import { root, Service } from '../../support/local-service.ts';
import { runCommand } from '../../support/operator-command.ts';
import { portOf } from '../../support/server.ts';

const run = promisify(execFile);

/** The processes of this machine whose command line names the folder `data`. */
async function processesOn(data: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'pid,args']);
  return stdout.split('\n').filter((line) => line.includes(data));
}

/** A port that is free, and so is the next one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const next = createServer().listen(port + 1, '127.0.0.1');
  const isFree = await once(next, 'listening').then(
    () => true,
    () => false,
  );
  next.close();
  server.close();
  return isFree ? port : freePort();
}

/** The events that a service has printed. */
const eventsOf = ({ output }: Service): Record<string, unknown>[] =>
  (output.match(/^\{"source":.*\}$/gm) ?? []).map((line) => JSON.parse(line));

async function nothingRunsOn(data: string): Promise<void> {
  await expect.poll(() => processesOn(data), { interval: 100 }).toEqual([]);
}

describe('npm start', () => {
  const data = mkdtempSync(join(tmpdir(), 'recruitment start-'));
  let service: Service;
  let base: string;

  beforeAll(async () => {
    service = new Service(data);
    [, base = ''] = await service.until(/listens on (\S+)/);
  });
  afterAll(async () => {
    await service.interrupt();
    rmSync(data, { recursive: true });
  });

  const token = async (...args: string[]) => {
    const { exitCode, out, err } = await runCommand(tokenCommand, ['--data', data, ...args]);
    if (exitCode !== 0) throw new Error(err);
    return out.trim();
  };
  const application = async (bearer: string) =>
    fetch(`${base}/v1/jobs/4007/applications/c-1001`, {
      headers: { Authorization: `Bearer ${bearer}` },
    });
  const setStatus = async (bearer: string, status: string) =>
    fetch(`${base}/v1/jobs/4007/status`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ status }),
    });

  it('prints a request for each operation that is answered with 200 as it is', async () => {
    const printed = service.output.match(/curl (?:.*\\\n)*.*/g) ?? [];
    expect(printed).toHaveLength(2);
    for (const command of printed) {
      const { stdout } = await run('bash', ['-c', command]);
      expect(stdout).toMatch(/^HTTP\/1.1 200 OK/);
    }
  });

  it('answers with the application of the sample data, to a token that npm prints', async () => {
    const command = ['run', '-s', 'token', '--', '--data', data];
    const { stdout } = await run('npm', command, { cwd: root });
    const response = await application(stdout.trim());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ user_id: 'c-1001' });
  });

  it('sets a status and gives the new version', async () => {
    const bearer = await token('--scope', 'jobs:write');
    const before = await setStatus(bearer, 'draft');
    const after = await setStatus(bearer, 'published');
    expect(await after.json()).toEqual({ success: true });
    const version = (response: Response) => Number(response.headers.get('etag')?.slice(1, -1));
    expect(version(after)).toBe(version(before) + 1);
  });

  it('prints the event of a change as a subscriber gets it, and none if nothing changed', async () => {
    const bearer = await token('--subject', 'ana@example.com');
    const before = eventsOf(service).length;
    await setStatus(bearer, 'paused');
    await setStatus(bearer, 'paused');
    await setStatus(bearer, 'open');
    const after = await setStatus(bearer, 'published');
    await expect.poll(() => eventsOf(service).length).toBe(before + 2);
    const [paused, published] = eventsOf(service).slice(before);
    expect(paused?.detail).toMatchObject({ job_id: '4007', to: 'paused' });
    expect(published).toEqual({
      source: 'recruitment',
      'detail-type': 'job.status_changed',
      detail: {
        id: expect.any(String),
        occurred_at: expect.any(String),
        tenant_id: 'default',
        job_id: '4007',
        from: 'paused',
        to: 'published',
        actor: expect.stringMatching(/^sha256:/),
        sequence: after.headers.get('etag')?.slice(1, -1),
      },
    });
    expect(service.output).not.toContain('ana@example.com');
  });

  it('has a token of each kind: another scope, tenant, subject, an expired one', async () => {
    expect((await application(await token('--scope', 'jobs:write'))).status).toBe(403);
    expect((await application(await token('--tenant', 'nobody'))).status).toBe(404);
    expect((await application(await token('--tenant='))).status).toBe(403);
    expect((await application(await token('--expires-in=-3600'))).status).toBe(401);
    await application(await token('--subject', 'someone-else'));
    await service.until(/subject someone-else/);
  });

  it('rejects a lifetime of a token that is not a number', async () => {
    const args = ['--data', data, '--expires-in', 'soon'];
    const { exitCode, err } = await runCommand(tokenCommand, args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining('--expires-in')]);
  });

  it('does not run twice on the same data, or on a port that is in use', async () => {
    const twin = await runCommand(command, ['--data', data]);
    expect(twin).toMatchObject({ exitCode: 1, err: expect.stringContaining(base) });
    const { port } = new URL(base);
    const elsewhere = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const neighbour = await runCommand(command, ['--data', elsewhere], { env: { PORT: port } });
    expect(neighbour).toMatchObject({ exitCode: 1, err: expect.stringContaining(port) });
    rmSync(elsewhere, { recursive: true });
  });

  it.each([
    [['--data='], {}, 2, '--data'],
    [['-c', 'corsOrigins'], {}, 2, 'KEY=VALUE'],
    [['-c', 'issuer=https://login.example.com'], {}, 2, 'issuer'],
    [['-c', 'corsOrigin=http://localhost:5173'], {}, 1, 'corsOrigins'],
    [['--inspect=debugger'], {}, 1, '--inspect'],
    [[], { npm_config_reset: 'true' }, 2, 'npm start -- --reset'],
    [[], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' }, 1, 'AWS_ENDPOINT_URL_DYNAMODB'],
    [[], { PORT: 'http' }, 1, 'PORT'],
    [[], { PORT: '65536' }, 1, 'PORT'],
    [['--data', join(root, 'package.json')], {}, 1, 'package.json'],
  ])('does not start with %j %j', async (args, env, code, named) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const all = ['--data', elsewhere, ...args];
    const { exitCode, err } = await runCommand(command, all, { env: { PORT: '0', ...env } });
    expect([exitCode, err]).toEqual([code, expect.stringContaining(named)]);
    rmSync(elsewhere, { recursive: true });
  });

  it('explains that an address is not that of a DynamoDB', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const env = { PORT: '0', AWS_ENDPOINT_URL_DYNAMODB: base };
    const { exitCode, err } = await runCommand(command, ['--data', elsewhere], { env });
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^.*not DynamoDB.*\n$/)]);
    rmSync(elsewhere, { recursive: true });
  });

  it('lets one of two win that start at once on the same data', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const two = [new Service(folder), new Service(folder)];
    const loser = await Promise.race(two.map((one, at) => one.ended().then(() => at)));
    expect(two[loser]?.output).toMatch(/already (starting or )?running on this data.*process/);
    const winner = two[1 - loser];
    await winner?.until(/listens on (\S+)/);
    await winner?.interrupt();
    await nothingRunsOn(folder);
    expect(readdirSync(folder)).not.toContain('service.lock');
    rmSync(folder, { recursive: true });
  });

  it('logs no personal data of the sample', () => {
    const sample = readFileSync(join(root, 'infra/local/sample-data.ndjson'), 'utf8');
    const people = sample
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter((record) => record.type === 'application');
    expect(people.length).toBeGreaterThan(0);
    for (const { name, email } of people) {
      expect(service.output).not.toContain(name);
      expect(service.output).not.toContain(email);
    }
  });

  it('keeps the data, ends with Ctrl-C and leaves nothing running', async () => {
    const bearer = await token();
    await setStatus(bearer, 'archived');
    await service.interrupt();
    await nothingRunsOn(data);
    expect(readdirSync(data)).not.toContain('service.json');
    await expect(token()).rejects.toThrow('npm start');

    service = new Service(data);
    [, base = ''] = await service.until(/listens on (\S+)/);
    const unchanged = await setStatus(await token(), 'archived');
    const etag = unchanged.headers.get('etag');
    await setStatus(await token(), 'archived');
    expect((await setStatus(await token(), 'archived')).headers.get('etag')).toBe(etag);
    expect(etag).not.toBe('"1"');
  });

  it('ends, and says so, if the supervisor of its database is killed', async () => {
    const [line = ''] = (await processesOn(data)).filter((one) => one.includes('supervise.ts'));
    process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await service.until(/The embedded DynamoDB stopped/);
    await nothingRunsOn(data);
    service = new Service(data);
    [, base = ''] = await service.until(/listens on (\S+)/);
  });

  it('leaves nothing running if npm is killed', async () => {
    service.process.kill('SIGKILL');
    await nothingRunsOn(data);
  });

  it('starts with the sample data again with --reset, and with the context of -c', async () => {
    const origin = 'http://localhost:5173';
    const port = await freePort();
    const context = ['-c', `corsOrigins=${origin}`, '-c', 'transitionPolicy=lifecycle'];
    service = new Service(data, ['--reset', '--json', ...context], { PORT: String(port) });
    // As soon as the gateway answers, there is a token.
    base = `http://127.0.0.1:${port}`;
    const path = `${base}/v1/jobs/4007/status`;
    await expect
      .poll(() =>
        fetch(path).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const response = await setStatus(await token(), 'archived');
    expect(response.headers.get('etag')).toBe('"2"');
    expect((await setStatus(await token(), 'published')).status).toBe(409);
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'PATCH' };
    const preflight = await fetch(path, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    await service.until(/Building.*table.*listens on/s);
    // With --json, the log is that of the deployed functions.
    const [line] = await service.until(/^.*transition_refused.*$/m);
    expect(JSON.parse(line)).toMatchObject({ operation: 'updateJobStatus', status: 409 });
    expect(service.output).toContain(`Its tokens come from http://127.0.0.1:${port + 1} `);
  });
});
