import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { candidateCommand } from '../../../../infra/commands/candidate/command.ts';
import { apply, jobs, storedIn } from '../../../support/candidates.ts';
import { fullApplication } from '../../../support/items.ts';
import { environment, runCommand, runImport, start } from '../../../support/operator-command.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { applicationLine } from '../../../support/records.ts';
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

/** Applications of two candidates, each written several times, and slower than a batch. */
async function* manyLines() {
  const count = Math.max(200, 1000 * inject('scale'));
  for (let at = 0; at < count; at += 1) {
    const user_id = at % 4 === 0 ? 'c-2' : 'c-1';
    const line = applicationLine(user_id, { ...fullApplication, user_id, job_id: `j-${at % 50}` });
    yield Buffer.from(`${line}\n`);
    if (at % 25 === 0) await setTimeout(100);
  }
}

describe('npm run candidate -- erase, while an import writes the same candidate', () => {
  it.each([[[]], [['--anonymise']]])(
    'with %j leaves every application whole or erased, and others alone',
    async (more) => {
      const input = Readable.from(manyLines());
      let imported: string | undefined;
      const importing = runImport(['-', '--table', table.name], { input }).finally(() => {
        imported = new Date().toISOString();
      });
      const told: string[] = [];
      while (imported === undefined) {
        const { exitCode, out } = await erase(...more);
        expect(exitCode).toBe(0);
        told.push(...out.trim().split('\n'));
      }
      expect((await importing).exitCode).toBe(0);
      // Each line begins with its time.
      expect(told.filter((line) => line < `${imported}`).length).toBeGreaterThan(2);
      for (const item of await storedIn(table)) {
        if (item.name === 'Erased') expect(JSON.stringify(item)).not.toContain('example.com');
        else expect(item).toMatchObject({ ...fullApplication, user_id: item.user_id });
      }
      expect((await erase(...more)).exitCode).toBe(0);
      const left = (await storedIn(table)).filter(({ name }) => name !== 'Erased');
      expect(new Set(left.map(({ user_id }) => user_id))).toEqual(new Set(['c-2']));
      expect(left).toHaveLength(25);
    },
  );
});
