import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run, SAMPLE } from '../../../support/import-command.ts';
import { environment } from '../../../support/operator-command.ts';
import { createTestTable, type TestTable } from '../../../support/table.ts';

describe('npm run import, wrongly used', () => {
  const missing = '/does/not/exist.ndjson';

  it.each([
    [[], 'Name one FILE, or - .'],
    [[SAMPLE, SAMPLE], 'Name one FILE, or - .'],
    [[missing, '--table', 't'], `The file ${missing} does not exist.`],
    [[tmpdir(), '--table', 't'], `${tmpdir()} is a folder, not a file.`],
    [[join(SAMPLE, 'x'), '--table', 't'], `The file ${SAMPLE}/x cannot be read (ENOTDIR).`],
    [[SAMPLE, '--region', 'eu-west-1'], '--region goes with --table.'],
    [[SAMPLE, '--table', ''], 'An option has an empty value.'],
    [[SAMPLE, '--tabel', 't'], "Unknown option '--tabel'"],
    [[SAMPLE, '--table'], "Option '--table <value>' argument missing"],
    [
      [SAMPLE, '--table', 't', '--data', '.'],
      '--data is of the local service, --table of AWS: name one of them.',
    ],
  ])('%j: says what is wrong, and how to use it', async (args, message) => {
    const { exitCode, out, err } = await run(args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err.startsWith(message)).toBe(true);
    expect(err).toContain('Usage: npm run import -- FILE');
  });
});

describe('npm run import, where AWS refuses', () => {
  const nothing = '0 jobs and 0 applications written, 0 lines refused.\n';
  const stopped = 'The import has stopped; go on from line 1. ';
  let table: TestTable;
  beforeAll(async () => {
    table = await createTestTable();
  });

  it('says that there is no such table', async () => {
    expect(await run([SAMPLE, '--table', 'no-such-table'])).toEqual({
      exitCode: 1,
      out: nothing,
      err: `${stopped}There is no table no-such-table in this account and region.\n`,
    });
  });

  it('says that there is no region, or takes the one that is named', async () => {
    const { AWS_REGION: _, ...env } = environment();
    expect(await run([SAMPLE, '--table', table.name], { env })).toEqual({
      exitCode: 1,
      out: nothing,
      err: `${stopped}No AWS region is set: give one with --region, or set AWS_REGION.\n`,
    });
    const named = await run([SAMPLE, '--table', table.name, '--region', 'eu-west-1'], { env });
    expect(named.exitCode).toBe(0);
  });

  it('says that there are no credentials', async () => {
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...env } = environment();
    expect(await run([SAMPLE, '--table', table.name], { env })).toEqual({
      exitCode: 1,
      out: nothing,
      err: `${stopped}There are no AWS credentials: log in, or name a profile in AWS_PROFILE.\n`,
    });
  });
});
