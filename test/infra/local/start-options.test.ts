import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { TIMEOUT_S } from '../../../functions/platform/environment.ts';
import { presignedUrl } from '../../../functions/store/presign.ts';
import { readState } from '../../../infra/operator/cli/service-state.ts';
import { root, Service, setStatus } from '../../support/local-service.ts';

/** `STATEMENT` is the line of `SOURCE` before the request to the table. */
const SOURCE = 'functions/operations/update-job-status/handler.ts';
const STATEMENT = 'const change = {';
const HEADERS = 'functions/contract/headers.ts';
const SAMPLE = 'infra/local/sample-data.ndjson';
const ORIGIN = 'http://localhost:5173';

/** Lambda's timeout in the copy of the service, and a pause that exceeds it. */
const COPY_TIMEOUT_S = 1;
const LATE_MS = 1500;
const URL_LIFETIME_S = 900;

const it = test.extend('started', { scope: 'file' }, async ({}, { onCleanup }) => {
  const copy = mkdtempSync(join(tmpdir(), 'recruitment-copy-'));
  const data = join(copy, '.local');
  const save = (name: string, change: (code: string) => string) => {
    const file = join(copy, name);
    // Many editors save a file by a rename, as git does.
    writeFileSync(`${file}.new`, change(readFileSync(join(root, name), 'utf8')));
    renameSync(`${file}.new`, file);
  };
  for (const name of ['functions', 'infra', 'package.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const limit = `TIMEOUT_S = ${TIMEOUT_S}`;
  save('functions/platform/environment.ts', (code) => {
    expect(code).toContain(limit);
    return code.replace(limit, `TIMEOUT_S = ${COPY_TIMEOUT_S}`);
  });
  cpSync(join(root, 'package.json'), join(data, 'dynamodb.sqlite'));
  const settings = [`corsOrigins=${ORIGIN}`, 'transitionPolicy=lifecycle', 'scopePrefix=api/'];
  const context = settings.flatMap((setting) => ['-c', setting]);
  const options = ['--reset', '--json', '--watch', '--inspect=0', ...context];
  // A proxy where nothing listens: requests to this machine must not go through it.
  const env = { HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
  const service = new Service(data, options, { folder: copy, env });
  onCleanup(async () => {
    await service.interrupt();
    rmSync(copy, { recursive: true });
  });
  const base = await service.address();
  return { data, save, service, base, token: await service.token() };
});

// The tests that change the code come last.
describe('npm start -- --reset --json --watch --inspect -c KEY=VALUE', { shuffle: false }, () => {
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
    const { tokenEndpoint = '', databaseEndpoint } = readState(data);
    const statusFor = async (address: string, origin: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      return (await fetch(address, { method: 'POST', body, headers: { origin } })).status;
    };
    expect(await statusFor(tokenEndpoint, ORIGIN)).toBe(200);
    expect(await statusFor(tokenEndpoint, 'http://localhost:5174')).toBe(403);
    expect(await statusFor(databaseEndpoint, ORIGIN)).toBe(403);
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

  it('lets a debugger connect', async ({ started: { service } }) => {
    await service.until(/Debugger listening on ws:\/\/127\.0\.0\.1:/);
  });

  it('starts again after a change of a data file, even if a debugger has paused the service', async ({
    started: { data, save, service },
  }) => {
    const { pid } = readState(data);
    process.kill(pid, 'SIGSTOP');
    save(SAMPLE, (lines) => lines);
    await service.until(/Starting again after a change of infra\/local\/sample-data\.ndjson/);
    await expect.poll(() => readState(data).pid).not.toBe(pid);
  });

  it('serves the code as it is saved, with the same address, tokens and data', async ({
    started: { save, service, base, token },
  }) => {
    const cacheControl = async () => {
      const response = await fetch(`${base}/v1/jobs/4007/applications/c-1001`).catch(() => null);
      return response?.headers.get('cache-control');
    };
    save(HEADERS, (code) => `${code} syntax error`);
    await service.until(/Starting again after a change of functions\/contract\/headers\.ts/);
    await service.until(/SyntaxError/);
    save(HEADERS, (code) => code.replace("'no-store'", "'no-cache'"));
    await expect.poll(cacheControl).toBe('no-cache');
    // Longer than Lambda's time limit, as if a debugger had paused the function.
    const late = `await new Promise((end) => setTimeout(end, ${LATE_MS})); throw new Error('boom');`;
    save(SOURCE, (code) => code.replace(STATEMENT, `${late} ${STATEMENT}`));
    save(HEADERS, (code) => code);
    await expect.poll(cacheControl).toBe('no-store');
    expect(await (await setStatus(base, token, 'archived')).json()).toMatchObject({
      code: 'internal',
    });
    // `npm start` logs every error's message; a deployed function does not.
    await service.until(/"outcome":"internal".*boom/);
    save(SOURCE, (code) => code);
    save(HEADERS, (code) => code.replace("'no-store'", "'no-cache'"));
    await expect.poll(cacheControl).toBe('no-cache');
    const response = await setStatus(base, token, 'draft');
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"3"']);
  });
});
