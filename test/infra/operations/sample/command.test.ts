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
  it('writes as many jobs and applications, each with a key of its own, which the import takes', async () => {
    const records = (await of(50, 2000)).map((line) => readRecord(Buffer.from(line)));
    const items = records.flatMap((record) => (record && 'item' in record ? [record] : []));
    expect(items).toHaveLength(2050);
    expect(items.filter(({ kind }) => kind === 'job')).toHaveLength(50);
    expect(new Set(items.map(({ item: { pk, sk } }) => `${pk} ${sk}`)).size).toBe(2050);
  });

  it('invents people whom no mail and no call can reach, from several countries', async () => {
    const people = (await of(1, 500)).slice(1).map((line) => JSON.parse(line));
    for (const { email, phone } of people) {
      expect(email).toMatch(/^[a-z0-9._-]+@example\.com$/);
      if (phone !== null) {
        expect(phone).toMatch(
          /^(\+1 \d{3} 555 01\d\d|\+49 30 23125 \d{3}|\+33 1 99 00 \d\d \d\d)$/,
        );
      }
    }
    expect(new Set(people.map(({ country }) => country)).size).toBeGreaterThan(5);
  });

  it('gives few jobs most of the applications', async () => {
    const jobs = (await of(100, 2000)).slice(100).map((line): string => JSON.parse(line).job_id);
    const first = jobs.filter((id) => Number(id.slice('job-'.length)) <= 10).length;
    expect(first).toBeGreaterThan(700);
    expect(new Set(jobs).size).toBeGreaterThan(90);
  });

  it('writes the same for the same seed, and something else for another one', async () => {
    const one = await of(3, 20, '--seed', '5');
    expect(await of(3, 20, '--seed', '5')).toEqual(one);
    expect(await of(3, 20, '--seed', '6')).not.toEqual(one);
  });

  it.each([
    [['--jobs', '1'], '--applications'],
    [['--jobs', '0', '--applications', '1'], '--jobs'],
    [['--jobs', '1', '--applications', '1e3'], '--applications'],
    [['--jobs', '1', '--applications', '1', '--seed', 'x'], '--seed'],
    [['--jobs', '1', '--applications', '1', '--tenant', 'a\nb'], '--tenant'],
    [['--jobs', '1', '--applications', '1', '--output', '/does/not/exist'], '/does/not/exist'],
  ])('%j: names %s, and prints the usage', async (args, named) => {
    const { exitCode, out, err } = await sample(...args);
    const [message, , usage] = err.split('\n');
    expect([exitCode, out]).toEqual([2, '']);
    expect(message).toContain(named);
    expect(usage).toMatch(/^Usage: npm run sample/);
  });
});
