import { tmpdir } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { environment, runCommand } from '../../../support/operator-command.ts';
import { createTableWithoutIndex } from '../../../support/table.ts';

const whose = ['--tenant', 'default', '--id', 'c-1'];

describe('npm run candidate, wrongly used', () => {
  it.each([
    [[], 'Say erase or export.'],
    [['remove', ...whose], 'Say erase or export.'],
    [['erase', 'export', ...whose], 'Say erase or export.'],
    [['erase', '--id', 'c-1'], '--tenant is needed'],
    [['erase', '--tenant', 'default'], '--id is needed'],
    [['erase', '--tenant', '', '--id', 'c-1'], '--tenant is needed'],
    [['erase', '--tenant', 'default', '--id', 'é'.repeat(129)], '--id is needed: 1 to 256 bytes'],
    [['erase', '--tenant', 'default', '--id', 'a\nb'], '--id is needed'],
    [
      ['erase', '--tenant', 'default', '--id', '-1'],
      '--id has no value, or one that begins with a hyphen: that is written --id=-1.\n\nUsage',
    ],
    [['erase', ...whose, '--output', 'x'], '--output goes with export.'],
    [['export', ...whose, '--yes'], '--anonymise and --yes go with erase.'],
    [['export', ...whose, '--anonymise'], '--anonymise and --yes go with erase.'],
    [['export', ...whose, '--output', ''], 'An option has an empty value.'],
    [['export', ...whose, '--table', ''], 'An option has an empty value.'],
    [['export', ...whose, '--region', 'eu-west-1'], '--region goes with --table.'],
    [['export', ...whose, '--table', 't', '--data', '.'], '--data is of the local service'],
    [['erase', ...whose, '--force'], "Unknown option '--force'"],
  ])('%j: says what is wrong, and how to use it', async (args, message) => {
    const { exitCode, out, err } = await runCommand('candidate', args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err.startsWith(message)).toBe(true);
    expect(err).toContain('Usage: npm run candidate -- export');
  });

  it('explains itself', async () => {
    const { exitCode, out, err } = await runCommand('candidate', ['--help']);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('Usage: npm run candidate -- export');
  });
});

describe('npm run candidate, where the table does not serve', () => {
  let old: string;
  beforeAll(async () => {
    old = await createTableWithoutIndex();
  });

  it.each([
    ['export', [], 'Nothing has been exported.'],
    ['erase', ['--yes'], 'The erasure has stopped: run the same command again.'],
  ])('%s says so, and what to do', async (action, more, stopped) => {
    const on = (name: string) =>
      runCommand('candidate', [action, ...whose, '--table', name, ...more]);
    const missing = await on('no-such-table');
    const none = 'There is no table no-such-table in this account and region.';
    expect([missing.exitCode, missing.err]).toEqual([1, `${stopped} ${none}\n`]);
    const { exitCode, err } = await on(old);
    expect(exitCode).toBe(1);
    expect(err).toContain(`${stopped} The index by-candidate of the table does not exist`);
  });

  it.each([
    ['without credentials', ['--yes', '--table', 't'], 'There are no AWS credentials: log in'],
    [
      'without credentials, before it asks',
      ['--table', 't'],
      'Nothing has been erased. There are no',
    ],
    ['without a service', ['--yes', '--data', tmpdir()], 'The local service is not running'],
  ])('erase %s: says so in what is kept as the proof', async (_, more, why) => {
    const { AWS_ACCESS_KEY_ID: __, AWS_SECRET_ACCESS_KEY: ___, ...env } = environment();
    const { exitCode, out, err } = await runCommand('candidate', ['erase', ...whose, ...more], {
      env,
    });
    expect([exitCode, err]).toEqual([1, expect.stringContaining(why)]);
    expect(out).toMatch(/^\d{4}-\S+Z candidate "c-1" of tenant "default": [^\n]+\n$/);
    expect(out).toContain(err);
  });

  it('export writes nothing but applications to standard output', async () => {
    const { exitCode, out } = await runCommand('candidate', [
      'export',
      ...whose,
      '--table',
      'none',
    ]);
    expect([exitCode, out]).toEqual([1, '']);
  });
});
