import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readLine } from '../../../../infra/commands/import/read-line.ts';
import { command } from '../../../../infra/commands/sample/command.ts';
import { runCommand } from '../../../support/operator-command.ts';

it('writes the same records each time, of people whom no mail and no call can reach', async () => {
  const output = join(tmpdir(), `sample-${crypto.randomUUID()}.ndjson`);
  const args = ['--jobs', '100', '--applications', '300', '--output', output];
  expect(await runCommand(command, args)).toMatchObject({ exitCode: 0, out: '' });
  const written = readFileSync(output, 'utf8');
  expect(await runCommand(command, args)).toMatchObject({ exitCode: 2 });
  rmSync(output);
  expect(await runCommand(command, args)).toMatchObject({
    err: expect.stringMatching(/^400 records written\.\n$/m),
  });
  expect(readFileSync(output, 'utf8') === written).toBe(true);
  rmSync(output);
  const lines = written.trimEnd().split('\n');
  const items = lines.map((line) => {
    const record = readLine(Buffer.from(line));
    if (record === undefined || 'reason' in record) throw new Error(record?.reason);
    return record.item;
  });
  expect(new Set(items.map(({ pk, sk }) => `${pk} ${sk}`)).size).toBe(400);
  const applications = lines.slice(100).map((line) => JSON.parse(line));
  const isOfTenth = ({ job_id: id }: { job_id: string }) => Number(id.slice('job-'.length)) <= 10;
  expect(applications.filter(isOfTenth).length).toBeGreaterThan(105);
  for (const { email, phone } of applications) {
    expect(email).toMatch(/^[a-z0-9._-]+@example\.com$/);
    expect(phone).toMatch(/^\+1 202 555 01\d\d$/);
  }
});
