import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { Interrupted } from '../../../../infra/cli/signals.ts';
import { command } from '../../../../infra/operations/retention/command.ts';
import { apply, jobs, storedIn } from '../../../support/candidates.ts';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

const whose = ['--tenant', 'default', '--days', '365'];

describe('npm run retention', () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await createTestTable();
    await apply(table, {}, jobs(2), { created_at: '2012-09-14T12:30:45.123Z' });
    await apply(table, { id: 'c-2' }, jobs(1), { created_at: '2099-01-01T00:00:00.000Z' });
  });
  const run = (...more: string[]) =>
    runCommand(command, [...whose, '--table', table.name, ...more]);

  it('counts in a dry run, sets with --yes, and finds nothing again', async () => {
    const dry = await run('--dry-run');
    expect([dry.exitCode, dry.err]).toEqual([0, '']);
    expect(dry.out).toMatch(/\b3 applications, 2 of them.*\b0 applications without/);
    expect((await storedIn(table)).some(({ expires_at }) => expires_at !== undefined)).toBe(false);
    expect((await run('--yes')).out).toMatch(
      /\b3 applications, 2 of them.*\b0 applications without/,
    );
    expect((await run('--yes')).out).toMatch(/\b0 applications/);
    expect((await storedIn(table)).every(({ expires_at }) => typeof expires_at === 'number')).toBe(
      true,
    );
  });

  it('says by its exit code that some have no valid date', async () => {
    await table.put({ pk: 'TENANT#default#JOB#1', sk: 'APPLICATION#undated' });
    const { exitCode, out } = await run('--dry-run');
    expect([exitCode, out]).toEqual([1, expect.stringContaining('1 application without')]);
  });

  it.each([
    [[], '--days'],
    [['--days', '1'], '--tenant'],
    [['--tenant', 'default', '--days', '0'], '--days'],
    [['--tenant', 'a\nb', '--days', '1'], '--tenant'],
    [[...whose, '--table', ''], '--table'],
    [[...whose, '--region', 'eu-west-1'], '--region'],
    [[...whose, '--table', 't'], '--yes'],
    [[...whose, 'x'], "'x'"],
  ])('%j: names %s, and prints the usage', async (args, named) => {
    const { exitCode, out, err } = await runCommand(command, args);
    const [message, , usage] = err.split('\n');
    expect([exitCode, out]).toEqual([2, '']);
    expect(message).toContain(named);
    expect(usage).toMatch(/^Usage: npm run retention/);
  });

  it('says what was done if it is interrupted, and the same command finishes it', async () => {
    const many = await createTestTable();
    await apply(many, {}, jobs(20), { created_at: '2099-01-01T00:00:00.000Z' });
    const proxy = await FaultyProxy.start();
    const controller = new AbortController();
    const aborted = once(controller.signal, 'abort');
    proxy.expect('none', 'none', { answeredAfter: () => aborted });
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const args = [...whose, '--yes', '--table', many.name];
    const ended = runCommand(command, args, { env, signal: controller.signal });
    await expect.poll(() => proxy.requests.length).toBeGreaterThanOrEqual(3);
    controller.abort(new Interrupted('SIGINT'));
    const { exitCode, out, err } = await ended;
    expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
    const set = (await storedIn(many)).filter(({ expires_at }) => expires_at !== undefined);
    expect(set.length).toBeGreaterThan(0);
    expect(set.length).toBeLessThan(20);
    expect(out).toContain(` ${set.length} applications`);
    const again = await runCommand(command, args);
    expect(again.out).toContain(` ${20 - set.length} applications`);
    await proxy.stop();
  });

  it('says what was done if it is interrupted while the table does not respond', async () => {
    const proxy = await FaultyProxy.start();
    proxy.expect('hang');
    const controller = new AbortController();
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const args = [...whose, '--yes', '--table', table.name];
    const ended = runCommand(command, args, { env, signal: controller.signal });
    await expect.poll(() => proxy.requests.length, { timeout: 60_000 }).toBe(1);
    controller.abort(new Interrupted('SIGINT'));
    const { exitCode, out, err } = await ended;
    expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
    expect(out).toContain('0 applications');
    expect(proxy.requests).toHaveLength(1);
    await proxy.stop();
  });

  it('says what stopped it, and what was done', async () => {
    const args = [...whose, '--table', 'no-such-table', '--yes'];
    const { exitCode, out, err } = await runCommand(command, args);
    expect([exitCode, out]).toEqual([1, expect.stringContaining('0 applications')]);
    // After what it is doing, which it says if that takes long.
    expect(err).toMatch(/no-such-table.*\n$/);
  });
});
