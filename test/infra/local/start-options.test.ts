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
import { TIMEOUT_S } from '../../../functions/contract/environment.ts';
import { presignedUrl } from '../../../functions/store/presign.ts';
import { readState } from '../../../infra/commands/cli/service-state.ts';
import { root, Service, setStatus } from '../../support/local-service.ts';

/** In the handler, before its request to the table. */
const SOURCE = 'functions/operations/update-job-status.ts';
const STATEMENT = 'const change = {';
const ORIGIN = 'http://localhost:5173';

/** The time limit of a function in the copy, and a longer pause. */
const COPY_TIMEOUT_S = 1;
const LATE_MS = 1500;
/** The lifetime of a presigned URL. */
const LIFETIME_S = 900;

const it = test.extend('started', { scope: 'file' }, async ({}, { onCleanup }) => {
  /** A copy of the project, whose files are changed. */
  const copy = mkdtempSync(join(tmpdir(), 'recruitment-copy-'));
  const data = join(copy, '.local');
  const save = (name: string, change: (code: string) => string) => {
    const file = join(copy, name);
    // Many editors save a file by a rename, and so does git.
    writeFileSync(`${file}.new`, change(readFileSync(join(root, name), 'utf8')));
    renameSync(`${file}.new`, file);
  };
  for (const name of ['functions', 'infra', 'package.json', 'cdk.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const limit = `TIMEOUT_S = ${TIMEOUT_S}`;
  save('functions/contract/environment.ts', (code) => {
    expect(code).toContain(limit);
    return code.replace(limit, `TIMEOUT_S = ${COPY_TIMEOUT_S}`);
  });
  cpSync(join(root, 'package.json'), join(data, 'dynamodb.sqlite'));
  const context = ['-c', `corsOrigins=${ORIGIN}`, '-c', 'transitionPolicy=lifecycle'];
  const options = ['--reset', '--json', '--watch', '--inspect=0', ...context];
  // Requests to this machine do not go through this proxy, which does not run.
  const env = { HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
  const service = new Service(data, options, { folder: copy, env });
  onCleanup(async () => {
    await service.interrupt();
    rmSync(copy, { recursive: true });
  });
  const base = await service.address();
  return {
    ...{ copy, data, save, service, base },
    setStatus: async (status: string) =>
      setStatus(base, await service.token(), status, { Origin: ORIGIN }),
  };
});

describe('npm start -- --reset --json --watch --inspect -c KEY=VALUE', () => {
  it('starts with the sample data and this context', async ({ started: { setStatus } }) => {
    const response = await setStatus('archived');
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await setStatus('published')).status).toBe(409);
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  it('also gives a token to the pages of this origin, and to no others', async ({
    started: { data },
  }) => {
    const { tokenEndpoint, databaseEndpoint } = readState(data);
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
    const times = { signingDate: new Date(), expiresIn: LIFETIME_S };
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

  it('lets a debugger connect to code that is not minified', async ({
    started: { copy, service },
  }) => {
    await service.until(/Debugger listening on ws:/);
    const bundle = join(copy, 'dist/functions/update-job-status/index.mjs');
    expect(readFileSync(bundle, 'utf8')).toContain(STATEMENT);
  });

  it('serves the code as it is changed, and keeps the old code if it does not build', async ({
    started: { copy, save, service, base, setStatus },
  }) => {
    await service.until(/Watching functions/);
    const timesRebuilt = () => service.output.match(/^Rebuilt/gm)?.length ?? 0;
    const cacheControl = async () =>
      (await fetch(`${base}/v1/jobs/4007/applications/c-1001`)).headers.get('cache-control');
    const contract = 'functions/contract/headers.ts';
    save(contract, (code) => `${code} syntax error`);
    // Of Node.js or of esbuild, whichever reads the file first.
    await service.until(/Expected ['"];/);
    expect(await cacheControl()).toBe('no-store');

    save(contract, (code) => code.replace("'no-store'", "'no-cache'"));
    await service.until(/^Rebuilt in .* s after .*contract\/headers\.ts/m);
    expect(await cacheControl()).toBe('no-cache');

    // It ends after the time limit, as if a debugger had paused it.
    const late = `await new Promise((end) => setTimeout(end, ${LATE_MS})); throw new Error('boom');`;
    save(SOURCE, (code) => code.replace(STATEMENT, `${late} ${STATEMENT}`));
    await service.until(/^Rebuilt in .* s after .*update-job-status\.ts/m);
    const response = await setStatus('archived');
    expect(await response.json()).toMatchObject({ code: 'internal' });
    // Unlike that of a deployed function, the log has the messages of all errors.
    await service.until(/"outcome":"internal".*boom/);

    const before = timesRebuilt();
    save(SOURCE, (code) => code);
    await expect.poll(timesRebuilt).toBeGreaterThan(before);
    expect((await setStatus('archived')).status).toBe(200);

    const builds = timesRebuilt();
    for (const name of ['infra/commands/cli/service-state.ts', 'infra/local/sample-data.ndjson']) {
      writeFileSync(join(copy, name), `${readFileSync(join(copy, name), 'utf8')}\n`);
      await service.until(new RegExp(`Restart npm start .*${name}`));
    }
    expect(timesRebuilt()).toBe(builds);
  });
});
