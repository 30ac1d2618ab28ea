import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { TIMEOUT_S } from '../../../functions/platform/environment.ts';
import { presignedUrl } from '../../../functions/store/presign.ts';
import { readServiceState } from '../../../infra/command/service-state.ts';
import { command as smoke } from '../../../infra/smoke/smoke.ts';
import { root, Service, setStatus } from '../../support/local-service.ts';
import { environment, runCommand } from '../../support/operator-command.ts';

/** `STATEMENT` is the line of `SOURCE` before the request to the table. */
const SOURCE = 'functions/operations/update-job-status/handler.ts';
const STATEMENT = 'const change = {';
const ORIGIN = 'http://localhost:5173';

/** Lambda's timeout in the copy of the service, and a pause that exceeds it. */
const COPY_TIMEOUT_S = 1;
const LATE_MS = 1500;
const PAUSING = { Pause: 'yes' };
const URL_LIFETIME_S = 900;

const it = test.extend('started', { scope: 'file' }, async ({}, { onCleanup }) => {
  const copy = mkdtempSync(join(tmpdir(), 'recruitment-copy-'));
  const data = join(copy, '.local');
  const edit = (name: string, found: string, replacement: string) => {
    const code = readFileSync(join(root, name), 'utf8');
    expect(code).toContain(found);
    writeFileSync(join(copy, name), code.replace(found, replacement));
  };
  for (const name of ['functions', 'infra', 'package.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  edit(
    'functions/platform/environment.ts',
    `TIMEOUT_S = ${TIMEOUT_S}`,
    `TIMEOUT_S = ${COPY_TIMEOUT_S}`,
  );
  // As if a debugger had paused the function for longer than Lambda's time limit.
  const pause = `if (headers.pause) {
    await new Promise((end) => setTimeout(end, ${LATE_MS}));
    throw new Error('boom');
  }`;
  edit(SOURCE, STATEMENT, `${pause} ${STATEMENT}`);
  cpSync(join(root, 'package.json'), join(data, 'dynamodb.sqlite'));
  const settings = [`corsOrigins=${ORIGIN}`, 'transitionPolicy=lifecycle', 'scopePrefix=api/'];
  const context = settings.flatMap((setting) => ['-c', setting]);
  const options = ['--reset', '--json', ...context];
  // Nothing listens at this proxy: requests to this machine must not go through it.
  const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
  // Like `npm start --node-options=--inspect=0`.
  const env = { ...proxy, npm_config_node_options: '--inspect=0' };
  const service = new Service(data, options, { folder: copy, env });
  onCleanup(async () => {
    await service.interrupt();
    rmSync(copy, { recursive: true });
  });
  const base = await service.address();
  return { data, service, base, token: await service.token() };
});

describe('npm start --node-options=--inspect -- --reset --json -c KEY=VALUE', () => {
  it('starts with the sample data and these settings', async ({ started: { base, token } }) => {
    const response = await setStatus(base, token, 'archived', { Origin: ORIGIN });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await setStatus(base, token, 'published')).status).toBe(409);
    expect((await setStatus(base, token, 'draft')).headers.get('etag')).toBe('"3"');
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  it('also gives a token to the pages of this origin, and to no others', async ({
    started: { data },
  }) => {
    const { tokenEndpoint = '' } = readServiceState(data);
    const statusFor = async (address: string, origin: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      return (await fetch(address, { method: 'POST', body, headers: { origin } })).status;
    };
    expect(await statusFor(tokenEndpoint, ORIGIN)).toBe(200);
    expect(await statusFor(tokenEndpoint, 'http://localhost:5174')).toBe(403);
  });

  it('opens no file for a URL that was signed with a secret that anybody can guess', async ({
    started: { base },
  }) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    const resume = `${base}/files/default/c-1001/resume.pdf`;
    const times = { signingDate: new Date(), expiresIn: URL_LIFETIME_S };
    const url = await presignedUrl(resume, {}, 'us-east-1', times);
    expect((await fetch(url)).status).toBe(403);
  });

  it('prints the log as the deployed functions write it', async ({
    started: { base, service },
  }) => {
    await fetch(`${base}/v1/jobs/4007/applications/c-1001`);
    const [line] = await service.until(/^.*"unauthenticated".*$/m);
    expect(JSON.parse(line)).toMatchObject({ operation: 'getApplication', status: 401 });
  });

  it('passes npm run smoke, which finds its address and table', async ({
    started: { data, token },
  }) => {
    const env = { ...environment(), TOKEN: token };
    const { out, err } = await runCommand(smoke, ['--data', data], { env });
    expect([out, err]).toEqual([expect.stringContaining('passed: 8 checks.'), '']);
  });

  it('lets a debugger connect, and pause a function for longer than Lambda would let it run', async ({
    started: { service, base, token },
  }) => {
    await service.until(/Debugger listening on ws:\/\/127\.0\.0\.1:/);
    const response = await setStatus(base, token, 'draft', PAUSING);
    expect(await response.json()).toMatchObject({ code: 'internal' });
    // `npm start` logs every error's message; a deployed function does not.
    await service.until(/"outcome":"internal".*boom/);
  });
});
