import { beforeAll, describe, expect, it } from 'vitest';
import { apply, jobs, storedIn } from '../../../support/candidates.ts';
import { runCommand } from '../../../support/operator-command.ts';
import { applicationLine } from '../../../support/records.ts';
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
    runCommand('retention', [...whose, '--table', table.name, ...more]);

  it('counts in a dry run, sets with --yes, and finds nothing again', async () => {
    expect(await run('--dry-run')).toEqual({
      exitCode: 0,
      out: '3 applications would get an end, 2 of them would be over; 0 have no date.\n',
      err: '',
    });
    expect((await run('--yes')).out).toBe(
      '3 applications have got an end, 2 of them are over; 0 have no date.\n',
    );
    expect((await run('--yes')).out).toContain('0 applications have got an end');
    expect((await storedIn(table)).every(({ expires_at }) => typeof expires_at === 'number')).toBe(
      true,
    );
  });

  it('says by its exit code that some have no date', async () => {
    await table.put({ pk: 'TENANT#default#JOB#1', sk: 'APPLICATION#undated' });
    const { exitCode, out } = await run('--dry-run');
    expect([exitCode, out]).toEqual([1, expect.stringContaining('; 1 have no date.')]);
  });

  it.each([
    [[], '--tenant is needed'],
    [['--tenant', 'default'], '--days is needed: a whole number from 1 to 36500.'],
    [['--tenant', 'default', '--days', '0'], '--days is needed'],
    [[...whose, '--table', ''], 'An option has an empty value.'],
    [[...whose, '--region', 'eu-west-1'], '--region goes with --table.'],
    [[...whose, '--table', 't'], 'There is no terminal to confirm on: add --yes'],
    [[...whose, 'x'], 'Unexpected argument'],
  ])('%j: says what is wrong, and how to use it', async (args, message) => {
    const { exitCode, out, err } = await runCommand('retention', args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err.startsWith(message)).toBe(true);
    expect(err).toContain('Usage: npm run retention');
  });

  it('explains itself, and what stops it', async () => {
    expect((await runCommand('retention', ['--help'])).out).toContain('Usage: npm run retention');
    const args = [...whose, '--table', 'no-such-table', '--yes'];
    expect(await runCommand('retention', args)).toEqual({
      exitCode: 1,
      out: '0 applications have got an end, 0 of them are over; 0 have no date.\n',
      err:
        'Stopped: run the same command again. ' +
        'There is no table no-such-table in this account and region.\n',
    });
  });
});

describe('npm run import -- --expire-after-days', () => {
  it('sets an end for the applications that name none, and no other', async () => {
    const table = await createTestTable();
    const created_at = '2099-01-01T00:00:00.000Z';
    const input = [
      applicationLine('c-1', { created_at }),
      applicationLine('c-2', { created_at, expires_at: null }),
      applicationLine('c-3', { created_at, expires_at: 4_102_444_800 }),
      '{"type":"job","id":"4007","status":"draft"}',
    ].join('\n');
    const args = ['-', '--table', table.name, '--expire-after-days', '10'];
    expect((await runCommand('import', args, { input })).exitCode).toBe(0);
    const end = Date.parse('2099-01-11T00:00:00.000Z') / 1000;
    const expiries = (await storedIn(table)).map(({ sk, expires_at }) => [sk, expires_at]);
    expect(expiries).toEqual([
      ['APPLICATION#c-1', end],
      ['APPLICATION#c-2', end],
      ['APPLICATION#c-3', 4_102_444_800],
      ['JOB', undefined],
    ]);
  });

  it.each(['0', 'x', ''])('refuses %j', async (days) => {
    const args = ['-', '--table', 't', '--expire-after-days', days];
    const { exitCode, err } = await runCommand('import', args);
    expect(exitCode).toBe(2);
    expect(err).toContain('--expire-after-days needs a whole number from 1 to 36500.');
  });
});
