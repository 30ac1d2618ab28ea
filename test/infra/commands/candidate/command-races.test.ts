import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { candidateCommand } from '../../../../infra/commands/candidate/command.ts';
import { apply, jobs, storedIn } from '../../../support/candidates.ts';
import { environment, runCommand, start } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

/** The index of the embedded database has each write at once. */
const command = candidateCommand({ pauseMs: 5, idleSearches: 60 });

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});

const arguments_ = (...more: string[]) => [
  ...['erase', '--tenant', 'default', '--id', 'c-1', '--yes', '--table', table.name],
  ...more,
];
const erase = (...more: string[]) => runCommand(command, arguments_(...more));

describe('npm run candidate -- erase, killed half way', () => {
  it.each([
    { outcome: 'removed', more: [] },
    { outcome: 'anonymised', more: ['--anonymise'] },
  ])('is finished by the same command: each is $outcome, once', async ({ outcome, more }) => {
    const count = 60;
    await apply(table, {}, jobs(count));
    await apply(table, { tenant: 'acme' }, jobs(5));
    await apply(table, { id: 'c-2' }, jobs(5));
    const proxy = await FaultyProxy.start();
    // The database does the work of the last requests, and the command never learns it.
    proxy.expect(...Array.from({ length: 70 }, () => 'none' as const), 'too late');
    const env = { ...environment(), AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const child = start('commands/candidate/command', arguments_(...more), { env });
    const recorded = text(child.stdout);
    await expect.poll(() => proxy.requests.length).toBeGreaterThan(100);
    child.kill('SIGKILL');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    await proxy.stop();
    const record = await recorded;
    const timesIn = (told: string, words: string) =>
      told.split(` ${words} the application`).length - 1;
    const isTheirs = ({ candidate_pk: of }: Record<string, unknown>) =>
      of === 'TENANT#default#CANDIDATE#c-1';
    const left = (await storedIn(table)).filter(isTheirs).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(count);
    expect(timesIn(record, 'erasing')).toBeGreaterThanOrEqual(count - left);
    const { exitCode, out } = await erase(...more);
    expect(exitCode).toBe(0);
    expect(timesIn(out, outcome)).toBe(left);
    const stored = await storedIn(table);
    expect(stored.filter(isTheirs)).toEqual([]);
    const anonymous = stored.filter(({ name }) => name === 'Erased');
    expect(anonymous).toHaveLength(outcome === 'anonymised' ? count : 0);
    expect(new Set(anonymous.map(({ job_id }) => job_id)).size).toBe(anonymous.length);
    expect(stored).toHaveLength(anonymous.length + 10);
  });
});
