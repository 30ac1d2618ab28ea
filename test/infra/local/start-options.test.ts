import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TIMEOUT_S } from '../../../functions/contract/environment.ts';
import { root, Service } from '../../support/local-service.ts';
import { Debugger } from './debugger.ts';

/** In the handler, before its request to the table. */
const SOURCE = 'functions/operations/update-job-status.ts';
const STATEMENT = 'const change = {';
const ORIGIN = 'http://localhost:5173';

describe('npm start -- --reset --json --watch --inspect -c KEY=VALUE', () => {
  /** A copy of the project, whose files are changed. */
  const copy = mkdtempSync(join(tmpdir(), 'recruitment-copy-'));
  const data = join(copy, '.local');
  const save = (name: string, change: (code: string) => string) => {
    const file = join(copy, name);
    // As many editors do, and git.
    writeFileSync(`${file}.new`, change(readFileSync(join(root, name), 'utf8')));
    renameSync(`${file}.new`, file);
  };
  let service: Service;
  let base = '';

  beforeAll(async () => {
    for (const name of ['functions', 'infra', 'package.json', 'cdk.json']) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const limit = `TIMEOUT_S = ${TIMEOUT_S}`;
    save('functions/contract/environment.ts', (code) => {
      expect(code).toContain(limit);
      return code.replace(limit, 'TIMEOUT_S = 1');
    });
    cpSync(join(root, 'package.json'), join(data, 'dynamodb.sqlite'));
    const context = ['-c', `corsOrigins=${ORIGIN}`, '-c', 'transitionPolicy=lifecycle'];
    const options = ['--reset', '--json', '--watch', '--inspect=0', ...context];
    // Requests to this machine do not go through this proxy, which does not run.
    const env = { HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
    service = new Service(data, options, { folder: copy, env });
    base = await service.address();
  });
  afterAll(async () => {
    await service.interrupt();
    rmSync(copy, { recursive: true });
  });

  const setStatus = async (status: string) =>
    fetch(`${base}/v1/jobs/4007/status`, {
      method: 'PATCH',
      headers: {
        Authorization: `Bearer ${await service.token()}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ status }),
    });

  it('starts with the sample data and this context', async () => {
    const response = await setStatus('archived');
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await setStatus('published')).status).toBe(409);
    const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'PATCH' };
    const preflight = await fetch(`${base}/v1/jobs/4007/status`, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  it('prints the log as the deployed functions write it', async () => {
    const [line] = await service.until(/^.*transition_refused.*$/m);
    expect(JSON.parse(line)).toMatchObject({ operation: 'updateJobStatus', status: 409 });
  });

  it('stops at a breakpoint in a handler, for longer than its time limit', async () => {
    const bundle = pathToFileURL(join(copy, 'dist/functions/update-job-status/index.mjs'));
    const code = readFileSync(bundle, 'utf8');
    // It is not minified.
    expect(code).toContain(STATEMENT);
    const [, mapName = ''] = /^\/\/# sourceMappingURL=(.*)$/m.exec(code) ?? [];
    const map = new SourceMap(JSON.parse(readFileSync(new URL(mapName, bundle), 'utf8')));
    const source = readFileSync(join(copy, SOURCE), 'utf8').split('\n');
    const isAtStatement = (lineNumber: number, columnNumber: number) => {
      const entry = map.findEntry(lineNumber, columnNumber);
      const isInSource = 'originalSource' in entry && entry.originalSource.endsWith(SOURCE);
      return isInSource && source[entry.originalLine]?.includes(STATEMENT) === true;
    };
    // As debuggers look up the place of a line.
    const places = code
      .split('\n')
      .flatMap((text, lineNumber) =>
        Array.from(text, (_, columnNumber) => ({ lineNumber, columnNumber })),
      );
    const place = places.find((one) => isAtStatement(one.lineNumber, one.columnNumber));

    const [, url = ''] = await service.until(/Debugger listening on (ws:\S+)/);
    using client = await Debugger.connect(url);
    // This tells of the threads that run already, one of which serves the request.
    await client.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    for (const session of client.sessions()) {
      await client.send('Debugger.enable', {}, session);
      await client.send('Debugger.setBreakpointByUrl', { url: bundle.href, ...place }, session);
    }
    const response = setStatus('archived');
    const { session, params } = await client.event('Debugger.paused');
    const [{ location }] = params.callFrames as [
      { location: { lineNumber: number; columnNumber: number } },
    ];
    expect(isAtStatement(location.lineNumber, location.columnNumber)).toBe(true);
    await sleep(1500);
    await client.send('Debugger.resume', {}, session);
    expect((await response).status).toBe(200);
  });

  it('serves the code as it is changed, and keeps the old code if it does not build', async () => {
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
    await service.until(/^Rebuilt the stack and the functions in .* s, .*contract\/headers\.ts/m);
    expect(await cacheControl()).toBe('no-cache');

    save('functions/operations/update-job-status.ts', (code) =>
      code.replace(STATEMENT, `throw new Error('boom'); ${STATEMENT}`),
    );
    await service.until(/^Rebuilt the functions in .* s, .*update-job-status\.ts/m);
    expect((await setStatus('archived')).status).toBe(500);
    // Unlike that of a deployed function, the log has the messages of all errors.
    await service.until(/"outcome":"internal".*boom/);

    const builds = timesRebuilt();
    for (const name of ['infra/local/gateway.ts', 'infra/local/sample-data.ndjson']) {
      writeFileSync(join(copy, name), `${readFileSync(join(copy, name), 'utf8')}\n`);
      await service.until(new RegExp(`Restart npm start .*${name}`));
    }
    expect(timesRebuilt()).toBe(builds);
  });
});
