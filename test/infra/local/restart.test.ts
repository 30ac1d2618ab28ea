import { execFile } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readServiceState } from '../../../infra/command/service-state.ts';
import { Service, setStatus } from '../../support/local-service.ts';

const run = promisify(execFile);

const POLL_MS = 100;

const it = test.extend('started', { scope: 'file' }, async ({}, { onCleanup }) => {
  const data = join(mkdtempSync(join(tmpdir(), 'recruitment restart-')), 'data');
  const service = new Service(data);
  onCleanup(async () => {
    await service.interrupt();
    rmSync(dirname(data), { recursive: true });
  });
  return { data, service, base: await service.address() };
});

// The second test stops the service that the first test needs.
describe('the data of npm start', { shuffle: false }, () => {
  it('belongs to the owner alone, the folder and each file', ({ started: { data } }) => {
    const names = readdirSync(data);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['service.json', 'issuer.json', 'sam.json'],
        ...['dynamodb.sqlite', 'dynamodb.sqlite-wal', 'files'],
      ]),
    );
    const open = ['', ...names].filter((name) => lstatSync(join(data, name)).mode & 0o077);
    expect(open).toEqual([]);
  });

  it('outlives the service, as do tokens; neither Ctrl-C, the end of npm nor a kill leaves anything running', async ({
    started: { data, service, base },
    onTestFinished,
  }) => {
    const token = await service.token();
    const { headers } = await setStatus(base, token, 'archived');
    const processes = async () => (await run('ps', ['-eo', 'args'])).stdout;
    const untilGone = () => expect.poll(processes, { interval: POLL_MS }).not.toContain(data);
    await service.interrupt();
    await untilGone();
    expect(readdirSync(data)).not.toContain('service.json');
    await expect(service.token()).rejects.toThrow(data);
    renameSync(join(data, 'files'), `${data}.files`);

    const next = new Service(data);
    onTestFinished(() => next.interrupt());
    const unchanged = await setStatus(await next.address(), token, 'archived');
    expect(unchanged.headers.get('etag')).toBe(headers.get('etag'));
    expect(readdirSync(data)).not.toContain('files');

    // Ends npm alone, not its shell.
    next.process.kill('SIGKILL');
    await untilGone();
    expect(readdirSync(data)).not.toContain('service.json');

    const killed = new Service(data);
    onTestFinished(() => killed.interrupt());
    await killed.address();
    process.kill(readServiceState(data).pid, 'SIGKILL');
    await untilGone();
  });
});
