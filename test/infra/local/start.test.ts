import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject } from 'vitest';
import { checkLocalSettings } from '../../../infra/local/local-settings.ts';
import { startService } from '../../../infra/local/service.ts';
import { command } from '../../../infra/local/start.ts';
import { command as tokenCommand } from '../../../infra/local/token.ts';
import { SCOPES, TestIssuer } from '../../support/issuer.ts';
import { serviceTest as it, root, type Service, setStatus } from '../../support/local-service.ts';
import { runCommand } from '../../support/operator-command.ts';
import { issuerSettings } from '../../support/pages.ts';

const run = promisify(execFile);

const DATABASE_WITHIN_MS = 100;

const options = {
  port: 0,
  reset: false,
  report: () => undefined,
  log: () => undefined,
};

const eventsOf = ({ output }: Service): { detail: Record<string, unknown> }[] =>
  (output.match(/^\{"source":.*\}$/gm) ?? []).map((line) => JSON.parse(line));

describe('npm start', () => {
  it('prints a request for each operation that gets 200 as it is', async ({ running }) => {
    const printed = running.service.output.match(/curl (?:.*\\\n)*.*/g) ?? [];
    expect(printed).toHaveLength(2);
    for (const line of printed) {
      const { stdout } = await run('bash', ['-c', line]);
      expect(stdout).toMatch(/^HTTP\/1.1 200 OK/);
    }
  });

  it('prints the event of a status change as a subscriber gets it, and none if the status stays', async ({
    running: { service, base },
  }) => {
    const bearer = await service.token('--subject', 'ana@example.com');
    const change = async (status: string) => {
      const { headers } = await setStatus(base, bearer, status);
      return headers.get('etag')?.slice(1, -1);
    };
    await change('closed');
    const sequence = await change('paused');
    // Events are printed some time after the response, and other tests change this job too.
    const eventsFrom = (first: unknown) => () =>
      eventsOf(service).filter(({ detail }) => Number(detail.sequence) >= Number(first));
    await expect.poll(eventsFrom(sequence)).toMatchObject([{ detail: { to: 'paused', sequence } }]);
    await change('paused');
    await change('open');
    const last = await change('published');
    await expect.poll(eventsFrom(Number(sequence) + 1)).toEqual([
      {
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
          sequence: last,
        },
      },
    ]);
    expect(service.output).not.toContain('ana@example.com');
  });

  it('has a token of each kind: another scope, tenant, subject, an expired one', async ({
    running: { service, base },
  }) => {
    const statusWith = async (...args: string[]) => {
      const headers = { Authorization: `Bearer ${await service.token(...args)}` };
      return (await fetch(`${base}/v1/jobs/4007/applications/c-1001`, { headers })).status;
    };
    expect(await statusWith('--scope', 'jobs:write')).toBe(403);
    expect(await statusWith('--tenant', 'nobody')).toBe(404);
    expect(await statusWith('--tenant=')).toBe(403);
    expect(await statusWith('--expires-in=-3600')).toBe(401);
    await statusWith('--subject', 'someone-else');
    await service.until(/subject someone-else/);
    await expect(service.token('--expires-in', 'soon')).rejects.toThrow('--expires-in');
  });

  it('accepts the tokens of the issuer that -c names, here with the settings for Zitadel on the page', async ({
    folder,
    onTestFinished,
  }) => {
    const issuer = await TestIssuer.start();
    onTestFinished(() => issuer.stop());
    const settings = { ...issuerSettings('Zitadel'), issuer: issuer.url };
    const service = await startService({
      ...options,
      directory: folder,
      settings: checkLocalSettings({ ...settings, jwksUri: `${issuer.url}/jwks?appid=1` }),
      env: { AWS_ENDPOINT_URL_DYNAMODB: inject('databaseEndpoint') },
    });
    onTestFinished(() => service.stop());
    const { baseUrl } = service.state;
    const statusesOf = async (tenant: string, organizations: object) => {
      const roles = Object.fromEntries(SCOPES.split(' ').map((role) => [role, organizations]));
      const { audience: aud, scopeClaims, tenantClaim } = settings;
      const token = await issuer.mint({ aud, [tenantClaim]: tenant, [scopeClaims]: roles });
      const headers = { Authorization: `Bearer ${token}` };
      const read = await fetch(`${baseUrl}/v1/jobs/4007/applications/c-1001`, { headers });
      return [read.status, (await setStatus(baseUrl, token, 'paused')).status];
    };
    expect(await statusesOf('nobody', { nobody: 'a.example.com' })).toEqual([404, 404]);
    expect(await statusesOf('default', { default: 'a.example.com' })).toEqual([200, 200]);
    const { exitCode, err } = await runCommand(tokenCommand, ['--data', folder]);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(issuer.url)]);
    expect(await (await fetch(`${baseUrl}/openapi.json`)).text()).toContain(issuer.url);
    expect((await fetch(`${baseUrl}/docs`)).status).toBe(200);
  });

  it('does not run twice on the same data', async ({ running: { data } }) => {
    const twin = await runCommand(command, ['--data', data], { env: { PORT: '0' } });
    expect(twin).toMatchObject({ exitCode: 1, err: expect.stringContaining('already') });
  });

  it.for([
    [['--data='], {}, 2, '--data'],
    [['-c', 'corsOrigins'], {}, 2, 'KEY=VALUE'],
    [['-c', 'corsOrigin=http://localhost:5173'], {}, 2, 'corsOrigins'],
    [['-c', 'corsOrigins=http://localhost:5173/path'], {}, 2, 'corsOrigins must be'],
    [['-c', 'region=eu-west-1'], {}, 2, 'corsOrigins'],
    [['-c', 'transitionPolicy=strict'], {}, 2, 'lifecycle'],
    [['-c', 'issuer=cognito'], {}, 2, 'https://cognito-idp.'],
    [['-c', 'issuer=https://login.example.com'], {}, 2, 'audience'],
    [['-c', 'issuer=http://login.example.com', '-c', 'audience=a'], {}, 2, 'issuer must be'],
    [['-c', 'jwksUri=https://login.example.com/keys'], {}, 2, 'issuer'],
    [[], { PORT: 'http' }, 1, 'PORT'],
    [['--data', join(root, 'package.json')], {}, 1, '--data DIR'],
  ] as const)('does not start with %j %j', async ([args, env, code, named], { folder }) => {
    const all = ['--data', folder, ...args];
    const { exitCode, err } = await runCommand(command, all, { env: { PORT: '0', ...env } });
    expect([exitCode, err]).toEqual([code, expect.stringContaining(named)]);
  });

  it('does not start on a port that is in use', async ({ running: { base }, folder }) => {
    const { port } = new URL(base);
    const { err } = await runCommand(command, ['--data', folder], { env: { PORT: port } });
    expect(err).toContain(`Port ${port}`);
  });

  it('does not start if the database that it is told to use does not respond', async ({
    folder,
  }) => {
    const start = startService({
      ...options,
      directory: folder,
      settings: {},
      env: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
      databaseWithinMs: DATABASE_WITHIN_MS,
    });
    await expect(start).rejects.toThrow('AWS_ENDPOINT_URL_DYNAMODB');
  });
});
