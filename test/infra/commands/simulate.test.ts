import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/operator-command.ts';

const run = (...args: string[]) => runCommand('simulate', args);

describe('npm run simulate', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'recruitment-simulate-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('draws the chart of what it is told, the same at each run', async () => {
    const small = ['--applications', '20000', '--jobs', '100', '--exponent', '0.9', '--seed', '7'];
    const charts = [join(folder, 'first.svg'), join(folder, 'second.svg')];
    const ends = await Promise.all(charts.map((chart) => run(...small, '--output', chart)));
    for (const { exitCode, out, err } of ends) {
      expect([exitCode, err]).toEqual([0, '']);
      expect(out).toContain('20,000 applications to 100 jobs, 0.05 GB, 0.5 read units a read, ');
      expect(out).toContain('exponent 0.9, seed 7.');
    }
    const [first, second] = charts.map((chart) => readFileSync(chart));
    expect(first).toEqual(second);
    expect(first?.toString()).toMatch(/^<svg .*<\/svg>\n$/s);
  });

  it('draws by default what is in docs/scale.svg', { timeout: 60_000 }, async () => {
    const chart = join(folder, 'default.svg');
    expect((await run('--output', chart)).exitCode).toBe(0);
    const committed = new URL('../../../docs/scale.svg', import.meta.url);
    expect(readFileSync(chart, 'utf8')).toBe(readFileSync(committed, 'utf8'));
  });

  it('makes no folder, and writes over no file', async () => {
    const small = ['--applications', '100', '--jobs', '10', '--output'];
    const missing = join(folder, 'missing');
    const nowhere = await run(...small, join(missing, 'chart.svg'));
    expect([nowhere.exitCode, nowhere.out]).toEqual([2, '']);
    expect(nowhere.err).toContain(`${missing}/chart.svg cannot be written (ENOENT).`);
    expect(existsSync(missing)).toBe(false);
    const other = join(folder, 'other.svg');
    writeFileSync(other, 'kept');
    const again = await run(...small, other);
    expect([again.exitCode, again.out]).toEqual([2, '']);
    expect(again.err).toContain(`The file ${other} exists already.`);
    expect(readFileSync(other, 'utf8')).toBe('kept');
  });

  it.each([
    [['--exponent', '4'], '--exponent must be a number from 0 to 3.'],
    [
      ['--exponent', '-1'],
      '--exponent has no value, or one that begins with a hyphen: that is written --exponent=-1.\n\nUsage',
    ],
    [['--jobs', '0'], '--jobs must be a whole number from 1 to 5000000.'],
    [['--jobs', 'many'], '--jobs must be a whole number'],
    [['--applications', '1e7'], '--applications must be a whole number from 1 to 50000000.'],
    [['--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295.'],
    [['--output', ''], '--output needs the name of a file.'],
    [['--plot'], "Unknown option '--plot'"],
  ])('%j: says what is wrong, and how to use it', async (args, message) => {
    const { exitCode, out, err } = await run(...args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err.startsWith(message)).toBe(true);
    expect(err).toContain('Usage: npm run simulate');
  });
});
