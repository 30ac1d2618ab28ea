import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleFolder } from '../../../infra/bundle/bundles.ts';
import { TIMEOUT_S } from '../../../infra/settings/stages.ts';
import { Debugger } from '../../support/debugger.ts';
import { root, Service } from '../../support/local-service.ts';

const source = 'functions/operations/update-job-status.ts';
/** In the handler, before its request to the table. */
const statement = 'const change = {';

/** Why a thread pauses before it runs anything. */
const START = 'Break on start';
const bundle = pathToFileURL(`${bundleFolder('update-job-status')}/index.mjs`);

/** The source map of the bundle, as its last line names it. */
function readMap(code: string): SourceMap {
  const [, name = ''] = /^\/\/# sourceMappingURL=(.*)$/m.exec(code) ?? [];
  return new SourceMap(JSON.parse(readFileSync(new URL(name, bundle), 'utf8')));
}

/** The place of a line of the source in the bundle, as debuggers look it up; all from zero. */
function placeOf(line: number, code: string, map: SourceMap) {
  for (const [lineNumber, { length }] of code.split('\n').entries()) {
    for (let columnNumber = 0; columnNumber < length; columnNumber += 1) {
      if (isAt(map.findEntry(lineNumber, columnNumber), line)) return { lineNumber, columnNumber };
    }
  }
  throw new Error(`The source map has no line ${line} of ${source}.`);
}

const isAt = (entry: object, line: number) =>
  'originalSource' in entry &&
  String(entry.originalSource).endsWith(source) &&
  'originalLine' in entry &&
  entry.originalLine === line;

describe('npm start -- --inspect', () => {
  const data = mkdtempSync(join(tmpdir(), 'recruitment-debugger-'));
  const service = new Service(data, ['--inspect=0']);

  afterAll(async () => {
    await service.interrupt();
    rmSync(data, { recursive: true });
  });

  it('stops at a breakpoint in a handler, for longer than its time limit', async () => {
    const [, url = ''] = await service.until(/Debugger listening on (ws:\S+)/);
    const [, base] = await service.until(/listens on (http\S+)/);
    const [, issuer] = await service.until(/tokens come from (\S+)/);
    const code = readFileSync(bundle, 'utf8');
    const map = readMap(code);
    const lines = readFileSync(join(root, source), 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes(statement));
    using client = await Debugger.connect(url);
    await client.send('NodeWorker.enable', { waitForDebuggerOnStart: true });

    const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'jobs:write' });
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const response = fetch(`${base}/v1/jobs/4007/status`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"status": "closed"}',
    });

    const { params: worker } = await client.event('NodeWorker.attachedToWorker');
    const session = String(worker.sessionId);
    await client.send('Debugger.enable', {}, session);
    await client.send(
      'Debugger.setBreakpointByUrl',
      { url: bundle.href, ...placeOf(line, code, map) },
      session,
    );
    await client.send('Runtime.runIfWaitingForDebugger', {}, session);
    // As an editor does, once its breakpoints are set.
    await client.event('Debugger.paused', ({ reason }) => reason === START);
    await client.send('Debugger.resume', {}, session);

    const { params: paused } = await client.event(
      'Debugger.paused',
      ({ reason }) => reason !== START,
    );
    const [{ location }] = paused.callFrames as [
      { location: { lineNumber: number; columnNumber: number } },
    ];
    expect(isAt(map.findEntry(location.lineNumber, location.columnNumber), line)).toBe(true);
    await sleep(TIMEOUT_S * 1000 + 500);
    await client.send('Debugger.resume', {}, session);
    expect((await response).status).toBe(200);
  });
});
