import { once } from 'node:events';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { applicationKey, erasureKey } from '../../../../functions/store/keys.ts';
import { command } from '../../../../infra/commands/retention/command.ts';
import { apply, HOSTILE_JOBS, jobs, storedIn } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { applicationItem, jobItem, leastApplication } from '../../../support/items.ts';
import { environment, type Run, runCommand } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const CREATED = '2026-09-14T12:30:45.123Z';
const EXPIRY = Math.floor(Date.parse(CREATED) / 1000) + 36_500 * 86_400;
const whose = ['--tenant', 'default', '--days', '36500'];

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

const run = (args: string[] = [], options?: Run) =>
  runCommand(command, [...whose, '--yes', '--table', table.name, ...args], options);
const expiries = async () => (await storedIn(table)).map(({ expires_at }) => expires_at);

/** Runs the command through a proxy, and interrupts it after some requests. */
async function through(faults: (aborted: Promise<unknown>) => Fault[], interruptAfter = 1e9) {
  const proxy = await FaultyProxy.start();
  const controller = new AbortController();
  proxy.expect(...faults(once(controller.signal, 'abort')));
  const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
  const ended = run([], { env, signal: controller.signal });
  if (interruptAfter < 1e9) {
    await expect
      .poll(() => proxy.requests.length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(interruptAfter);
    controller.abort(new Error('Stopped by SIGINT.'));
  }
  return { ...(await ended.finally(() => proxy.stop())), requests: proxy.requests.length };
}

describe('npm run retention', () => {
  it('sets the expiry of applications that have none, once, and changes nothing else', async () => {
    await apply(table, { id: 'c#1' }, HOSTILE_JOBS);
    const before = await storedIn(table);
    const dry = await run(['--dry-run', '--days', '1']);
    expect([dry.exitCode, dry.err]).toEqual([0, '']);
    expect(dry.out).toMatch(/^Would set .* 8 applications, 8 of them.*Left 0 applications/);
    expect(await storedIn(table)).toEqual(before);
    expect((await run()).out).toMatch(/^Set .* 8 applications, 0 of them.*Left 0 applications/);
    const after = before.map((item) => ({ ...item, expires_at: EXPIRY }));
    expect(await storedIn(table)).toEqual(after);
    expect((await run(['--days', '1'])).out).toMatch(/\b0 applications, 0 of them/);
    expect(await storedIn(table)).toEqual(after);
  });

  it('says by its exit code that an application which now expires has a malformed key', async () => {
    await table.put({
      ...applicationItem({ job: '1' }, leastApplication),
      pk: 'TENANT#default#JOB#a%',
    });
    const { exitCode, out } = await run();
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/Left 0 .* 1 had malformed keys/)]);
  });

  it('lets older ones expire at once: DynamoDB does not delete what expired years ago', async () => {
    await apply(table, {}, ['4007'], { created_at: '2012-09-14T12:30:45.123Z' });
    const before = Math.floor(Date.now() / 1000);
    expect((await run(['--days', '365'])).out).toContain('1 application, 1 of them');
    const [expiry] = await expiries();
    expect(expiry).toBeGreaterThanOrEqual(before);
    expect(expiry).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('leaves jobs, other tenants and applications with an expiry as they are', async () => {
    await table.put(jobItem({ job: '1' }, { created_at: CREATED }));
    await apply(table, { tenant: 'acme' }, ['1']);
    await apply(table, { tenant: 'default#' }, ['1']);
    await apply(table, {}, ['1'], { expires_at: 4_102_444_800 });
    const guard = { revision: 1_793_698_013_589, expires_at: 4_102_444_800 };
    await table.put({ ...applicationKey('default', '2', 'c-1'), removed: true, ...guard });
    await table.put({ ...erasureKey('default', 'c-1'), ...guard });
    const before = await storedIn(table);
    const { exitCode, out, requests } = await through(() => ['none']);
    expect([exitCode, out]).toEqual([0, expect.stringContaining(' 0 applications, 0 of them')]);
    expect(requests).toBe(1);
    expect(await storedIn(table)).toEqual(before);
  });

  it('says by its exit code that some have no valid date, and leaves them', async () => {
    const item = applicationItem({}, { ...leastApplication, created_at: 'yesterday' });
    await table.put(item);
    const { exitCode, out, err } = await run();
    expect(err).toBe(
      'candidate "c-1", job "j-1" of tenant "default": created_at is not a valid time\n',
    );
    expect([exitCode, out]).toEqual([1, expect.stringContaining('Left 1 application')]);
    expect(await storedIn(table)).toEqual([item]);
  });

  it('asks for the tenant, and stops at a request that DynamoDB rejects', async () => {
    await apply(table, {}, jobs(1));
    const input = Object.assign(Readable.from(['default\n']), { isTTY: true });
    const { err } = await runCommand(command, [...whose, '--table', table.name], { input });
    expect(err).toContain(
      `tenant "default" in ${table.name} will expire 36500 days after they were`,
    );
    expect(await expiries()).toEqual([EXPIRY]);
    await apply(table, {}, jobs(1));
    const rejected = await through(() => ['none', dynamoError(400, 'AccessDeniedException')]);
    expect([rejected.exitCode, rejected.err]).toEqual([1, 'Invented.\n']);
  });

  it('says by its exit code that the tenant has no application', async () => {
    await apply(table, {}, jobs(1));
    const removed = { removed: true, revision: 1_793_698_013_589, expires_at: 4_102_444_800 };
    await table.put({ ...applicationKey('defualt', '1', 'c-1'), ...removed });
    const { exitCode, err } = await run(['--tenant', 'defualt']);
    const message = 'No application of tenant "defualt" was found. Check the tenant.\n';
    expect([exitCode, err]).toEqual([1, message]);
  });

  it('changes forty at once, over many pages', async () => {
    await apply(table, {}, jobs(510));
    expect((await run()).out).toContain('510 applications');
    expect(new Set(await expiries())).toEqual(new Set([EXPIRY]));
    table = await createTestTable();
    await apply(table, {}, jobs(60));
    // One scan, and the updates, whose responses come when it is known how many there are.
    const faults = (aborted: Promise<unknown>): Fault[] => [
      'none',
      { respondsAfter: () => aborted },
    ];
    const { requests } = await through(faults, 41);
    expect(requests).toBe(41);
  });

  it('counts an application whose update got no response, once', async () => {
    await apply(table, {}, jobs(1));
    const { out } = await through(() => ['none', 'response lost', 'none']);
    expect(out).toContain('1 application, 0 of them');
    expect(await expiries()).toEqual([EXPIRY]);
  });

  it('says what was done if it is interrupted, and the same command finishes it', async () => {
    await apply(table, {}, jobs(60));
    const faults = (aborted: Promise<unknown>): Fault[] => [
      ...(['none', 'none'] as const),
      { respondsAfter: () => aborted },
    ];
    const { exitCode, out, err } = await through(faults, 3);
    expect([exitCode, err]).toEqual([1, 'Stopped by SIGINT.\n']);
    const set = (await expiries()).filter((expiry) => expiry !== undefined).length;
    expect(set).toBeGreaterThan(0);
    expect(set).toBeLessThan(60);
    expect(out).toContain(` ${set} application`);
    expect((await run()).out).toContain(` ${60 - set} application`);
  });

  it('changes nothing that another writer removes, replaces or dates at the same time', async () => {
    await apply(table, {}, jobs(2));
    const { sk } = applicationKey('default', '', 'c-1');
    // One of these is gone; two have been replaced, and one has had an expiry set.
    await apply(table, {}, ['j-3'], { created_at: CREATED, expires_at: 4_102_444_800 });
    const Items = jobs(4).map((job) => ({
      pk: { S: applicationKey('default', job, 'c-1').pk },
      sk: { S: sk },
      created_at: { S: job === 'j-3' ? CREATED : '2020-01-01T00:00:00.000Z' },
    }));
    const before = await storedIn(table);
    const page = { status: 200, body: JSON.stringify({ Items, Count: 4 }) };
    expect((await through(() => [page, 'none'])).out).toContain('0 applications, 0 of them');
    expect(await storedIn(table)).toEqual(before);
  });
});
