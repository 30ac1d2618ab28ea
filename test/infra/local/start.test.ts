import { execFile } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../../infra/local/service.ts';
import { command } from '../../../infra/local/start.ts';
import { type Running, root, Service } from '../../support/local-service.ts';
import { runCommand } from '../../support/operator-command.ts';
import { apiReference } from './api-reference.ts';
import { foreignRequests } from './foreign-requests.ts';
import { integratorsPage } from './integrate.ts';
import { candidateFiles } from './local-bucket.ts';

const run = promisify(execFile);

/** The events that a service has printed. */
const eventsOf = ({ output }: Service): Record<string, unknown>[] =>
  (output.match(/^\{"source":.*\}$/gm) ?? []).map((line) => JSON.parse(line));

describe('npm start', () => {
  const data = mkdtempSync(join(tmpdir(), 'recruitment start-'));
  const running = {} as Running;
  const secret = crypto.randomUUID();
  const start = () => new Service(data, [], { env: { AWS_SECRET_ACCESS_KEY: secret } });

  beforeAll(async () => {
    // As an earlier version left it.
    chmodSync(data, 0o755);
    writeFileSync(join(data, 'dynamodb.sqlite'), '', { mode: 0o644 });
    running.service = start();
    running.base = await running.service.address();
  });
  afterAll(async () => {
    await running.service.interrupt();
    rmSync(data, { recursive: true });
  });

  const token = (...args: string[]) => running.service.token(...args);
  const application = async (bearer: string) =>
    fetch(`${running.base}/v1/jobs/4007/applications/c-1001`, {
      headers: { Authorization: `Bearer ${bearer}` },
    });
  const setStatus = async (bearer: string, status: string) =>
    fetch(`${running.base}/v1/jobs/4007/status`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ status }),
    });

  it('prints a request for each operation that gets 200 as it is', async () => {
    const printed = running.service.output.match(/curl (?:.*\\\n)*.*/g) ?? [];
    expect(printed).toHaveLength(2);
    for (const line of printed) {
      const { stdout } = await run('bash', ['-c', line]);
      expect(stdout).toMatch(/^HTTP\/1.1 200 OK/);
    }
  });

  it('prints the event of a change as a subscriber gets it, and none if nothing changed', async () => {
    const bearer = await token('--subject', 'ana@example.com');
    const before = eventsOf(running.service).length;
    await setStatus(bearer, 'paused');
    await setStatus(bearer, 'paused');
    await setStatus(bearer, 'open');
    const after = await setStatus(bearer, 'published');
    expect(await after.json()).toEqual({ success: true });
    await expect.poll(() => eventsOf(running.service).length).toBe(before + 2);
    const [paused, published] = eventsOf(running.service).slice(before);
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
    expect(running.service.output).not.toContain('ana@example.com');
  });

  it('has a token of each kind: another scope, tenant, subject, an expired one', async () => {
    expect((await application(await token('--scope', 'jobs:write'))).status).toBe(403);
    expect((await application(await token('--tenant', 'nobody'))).status).toBe(404);
    expect((await application(await token('--tenant='))).status).toBe(403);
    expect((await application(await token('--expires-in=-3600'))).status).toBe(401);
    await application(await token('--subject', 'someone-else'));
    await running.service.until(/subject someone-else/);
    await expect(token('--expires-in', 'soon')).rejects.toThrow('--expires-in');
  });

  it('does not run twice on the same data', async () => {
    const twin = await runCommand(command, ['--data', data], { env: { PORT: '0' } });
    expect(twin).toMatchObject({ exitCode: 1, err: expect.stringContaining('already') });
  });

  it.each([
    [['--data='], {}, 2, '--data'],
    [['-c', 'corsOrigins'], {}, 2, 'KEY=VALUE'],
    [['-c', 'issuer=https://login.example.com'], {}, 2, 'issuer'],
    [['-c', 'corsOrigin=http://localhost:5173'], {}, 1, 'corsOrigins'],
    [['--inspect=debugger'], {}, 1, '--inspect'],
    [[], { npm_config_reset: 'true' }, 2, 'npm start -- --reset'],
    [[], { PORT: 'http' }, 1, 'PORT'],
    [['--data', join(root, 'package.json')], {}, 1, 'package.json'],
    // Node.js's own function that creates folders never returns there.
    [['--data', '/proc/recruitment'], {}, 1, '--data DIR'],
  ])('does not start with %j %j', async (args, env, code, named) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const all = ['--data', elsewhere, ...args];
    const { exitCode, err } = await runCommand(command, all, { env: { PORT: '0', ...env } });
    expect([exitCode, err]).toEqual([code, expect.stringContaining(named)]);
    rmSync(elsewhere, { recursive: true });
  });

  it('does not start on a port that is in use, or without the database that it is told to use', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const { port } = new URL(running.base);
    const { err } = await runCommand(command, ['--data', directory], { env: { PORT: port } });
    expect(err).toContain(port);
    const ignore = () => undefined;
    const options = { directory, reset: false, context: {}, report: ignore, log: ignore };
    const env = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };
    const limits = { isDebugged: false, databaseWithinMs: 100 };
    const start = startService({ ...options, ...limits, port: 0, env });
    await expect(start).rejects.toThrow('AWS_ENDPOINT_URL_DYNAMODB');
    rmSync(directory, { recursive: true });
  });

  it('lets only the owner use the folder of the data and what is in it', () => {
    const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(
      expect.arrayContaining(['service.json', 'dynamodb.sqlite', 'dynamodb.sqlite-wal', 'files']),
    );
    const open = ['', ...names].filter((name) => lstatSync(join(data, name)).mode & 0o077);
    expect(open).toEqual([]);
  });

  describe('refuses what other sites send, and', () => foreignRequests(running, data));
  describe('has an API reference, which', () => apiReference(running));
  describe('serves the files of candidates, and', () =>
    candidateFiles(running, join(data, 'files'), secret));
  describe('with the page for integrators', () => integratorsPage(running));

  it('keeps the data, ends with Ctrl-C and leaves nothing running', async () => {
    await setStatus(await token(), 'archived');
    const { headers } = await setStatus(await token(), 'archived');
    await running.service.interrupt();
    const processes = async () => (await run('ps', ['-eo', 'args'])).stdout;
    await expect.poll(processes, { interval: 100 }).not.toContain(data);
    expect(readdirSync(data)).not.toContain('service.json');
    await expect(token()).rejects.toThrow(data);
    renameSync(join(data, 'files'), `${data}.files`);

    running.service = start();
    running.base = await running.service.address();
    const unchanged = await setStatus(await token(), 'archived');
    expect(unchanged.headers.get('etag')).toBe(headers.get('etag'));
    expect(readdirSync(data)).not.toContain('files');
    renameSync(`${data}.files`, join(data, 'files'));
  });
});
