import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, Service } from '../../support/local-service.ts';

const run = promisify(execFile);

/** The processes of this machine whose command line names the folder `data`. */
async function processesOn(data: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'pid,args']);
  return stdout.split('\n').filter((line) => line.includes(data));
}

async function nothingRunsOn(data: string): Promise<void> {
  await expect.poll(() => processesOn(data), { timeout: 10_000, interval: 100 }).toEqual([]);
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
    const command = ['run', '-s', 'token', '--', '--data', data, ...args];
    return (await run('npm', command, { cwd: root })).stdout.trim();
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

  it('answers with the application of the sample data', async () => {
    const response = await application(await token());
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

  it('has a token of each kind: another scope, tenant, subject, an expired one', async () => {
    expect((await application(await token('--scope', 'jobs:write'))).status).toBe(403);
    expect((await application(await token('--tenant', 'nobody'))).status).toBe(404);
    expect((await application(await token('--tenant='))).status).toBe(403);
    expect((await application(await token('--expires-in=-3600'))).status).toBe(401);
    await application(await token('--subject', 'someone-else'));
    expect(service.output).toContain('"subject":"someone-else"');
  });

  it('refuses wrong options of the token command, saying which are right', async () => {
    const failed = await run('npm', ['run', '-s', 'token', '--', '--scopes', 'x'], {
      cwd: root,
    }).catch((error) => error);
    expect(failed.code).toBe(2);
    expect(failed.stderr).toContain("Unknown option '--scopes'");
    expect(failed.stderr).toContain('Usage: npm run token');
    await expect(token('--expires-in', 'soon')).rejects.toThrow('whole number of seconds');
  });

  it('refuses to run twice on the same data, or on a taken port', async () => {
    const twin = new Service(data);
    expect(await twin.ended()).toBe(1);
    expect(twin.output).toContain(`already runs on this data, at ${base}`);
    const elsewhere = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const neighbour = new Service(elsewhere, [], { PORT: new URL(base).port });
    expect(await neighbour.ended()).toBe(1);
    expect(neighbour.output).toContain(`Port ${new URL(base).port} is taken: set PORT`);
    rmSync(elsewhere, { recursive: true });
  });

  it.each([
    [['--data='], {}, 2, '--data needs the name of a folder'],
    [[], { npm_config_reset: 'true' }, 2, 'Write npm start -- --reset'],
    [[], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' }, 1, 'Nothing answers at AWS_ENDPOINT'],
    [['--wacth'], {}, 2, "Unknown option '--wacth'"],
    [[], { PORT: 'http' }, 1, 'PORT must be a number from 0 to 65535'],
    [[], { PORT: '65536' }, 1, 'PORT must be a number from 0 to 65535'],
  ])('refuses %j %j', async (args, env, code, message) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'recruitment-start-'));
    const refused = new Service(elsewhere, args, env);
    expect(await refused.ended()).toBe(code);
    expect(refused.output).toContain(message);
    rmSync(elsewhere, { recursive: true });
  });

  it('refuses to keep its data in a file', async () => {
    const refused = new Service(join(root, 'package.json'));
    expect(await refused.ended()).toBe(1);
    expect(refused.output).toContain('package.json, which is not a folder: name another folder.');
    expect(refused.output).not.toContain('EEXIST');
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
    await expect(token()).rejects.toThrow('The local service is not running');

    service = new Service(data);
    [, base = ''] = await service.until(/listens on (\S+)/);
    const unchanged = await setStatus(await token(), 'archived');
    const etag = unchanged.headers.get('etag');
    await setStatus(await token(), 'archived');
    expect((await setStatus(await token(), 'archived')).headers.get('etag')).toBe(etag);
    expect(etag).not.toBe('"1"');
  });

  it('ends, and says so, where the supervisor of its database is killed', async () => {
    const [line = ''] = (await processesOn(data)).filter((one) => one.includes('supervise.ts'));
    process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await service.until(/The embedded DynamoDB has ended/);
    await nothingRunsOn(data);
    service = new Service(data);
    [, base = ''] = await service.until(/listens on (\S+)/);
  });

  it('leaves nothing running where npm is killed', async () => {
    process.kill(service.process.pid ?? 0, 'SIGKILL');
    await nothingRunsOn(data);
  });

  it('begins anew with --reset', async () => {
    service = new Service(data, ['--reset']);
    [, base = ''] = await service.until(/listens on (\S+)/);
    const response = await setStatus(await token(), 'archived');
    expect(response.headers.get('etag')).toBe('"2"');
  });
});
