import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRecord } from '../../../../infra/operations/import/records.ts';
import { command } from '../../../../infra/operations/sample/command.ts';
import { runCommand } from '../../../support/operator-command.ts';

const sample = (...args: string[]) => runCommand(command, args);
const of = async (jobs: number, applications: number, ...more: string[]) => {
  const { out } = await sample('--jobs', `${jobs}`, '--applications', `${applications}`, ...more);
  return out.split('\n').slice(0, -1);
};

describe('npm run sample', () => {
  it('writes records that the import takes, each with a key of its own, to few jobs', async () => {
    const lines = await of(100, 2000);
    const items = lines.map((line) => {
      const record = readRecord(Buffer.from(line));
      if (record === undefined || 'reason' in record) throw new Error(record?.reason);
      return record.item;
    });
    expect(items).toHaveLength(2100);
    expect(new Set(items.map(({ pk, sk }) => `${pk} ${sk}`)).size).toBe(2100);
    const jobs = lines.slice(100).map((line): string => JSON.parse(line).job_id);
    const first = jobs.filter((id) => Number(id.slice('job-'.length)) <= 10).length;
    expect(first).toBeGreaterThan(700);
  });

  it('invents people whom no mail and no call can reach, from several countries', async () => {
    const people = (await of(1, 500)).slice(1).map((line) => JSON.parse(line));
    for (const { email, phone } of people) {
      expect(email).toMatch(/^[a-z0-9._-]+@example\.com$/);
      expect(phone).toMatch(/^(\+1 \d{3} 555 01\d\d|\+49 30 23125 \d{3}|\+33 1 99 00 \d\d \d\d)$/);
    }
    expect(new Set(people.map(({ country }) => country)).size).toBeGreaterThan(5);
  });

  it('writes a file, the same for the same seed, and says how many records', async () => {
    const output = join(tmpdir(), `sample-${crypto.randomUUID()}.ndjson`);
    const args = ['--jobs', '3', '--applications', '20', '--seed', '5', '--output', output];
    expect(await sample(...args)).toMatchObject({ out: '', err: '23 of 23 records written.\n' });
    const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
    expect(await of(3, 20, '--seed', '5')).toEqual(lines);
    expect(await of(3, 20, '--seed', '6')).not.toEqual(lines);
    expect(await sample(...args)).toMatchObject({ exitCode: 2 });
    expect(existsSync(output)).toBe(true);
    rmSync(output);
  });
});
