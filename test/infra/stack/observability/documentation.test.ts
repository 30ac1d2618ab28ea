import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { templateOf } from '../../../support/stack.ts';
import { alarmCount } from '../tables.ts';

const cost = readFileSync('docs/cost.md', 'utf8');

describe('the bill', () => {
  it('has the metrics of the alarms, and those that filters count while all is well', () => {
    const { metrics, composites } = alarmCount(templateOf({ stage: 'prod' }));
    const usd = (metrics * 0.1).toFixed(2);
    expect(cost).toContain(
      `| CloudWatch alarms | ${metrics} metrics | 0.10 each [2] | ${usd} | ${usd} | ${usd} |`,
    );
    const half = (composites * 0.5).toFixed(2);
    expect(cost).toContain(
      `| CloudWatch composite alarms | ${composites} | 0.50 each [2] | ${half} | ${half} | ${half} |`,
    );
    // Cold starts of each operation, changes, accepted tokens and throttled requests.
    const counted = operationNames.length + 3;
    expect(cost).toMatch(new RegExp(`\\| CloudWatch custom metrics \\| ${counted},`));
    const some = (counted * 0.3).toFixed(2);
    expect(cost).toContain(`| 0.30 each [2] | 0.00 | ${some} | ${some} |`);
  });

  it('adds up', () => {
    const rows = cost.slice(cost.indexOf('| Lambda requests'), cost.indexOf('| **Sum** |'));
    const amounts = rows
      .trim()
      .split('\n')
      .map((line) => line.split(' | ').slice(-3).map(Number.parseFloat));
    const sums = cost.split('\n').find((line) => line.startsWith('| **Sum** |')) ?? '';
    const documented = Array.from(sums.matchAll(/\*\*([\d.]+)\*\*/g), ([, sum]) => Number(sum));
    expect(amounts.length).toBeGreaterThan(15);
    // Each line is rounded to a cent by itself.
    const total = (column: number) =>
      amounts.reduce((sum, row) => sum + (row[column] ?? Number.NaN), 0);
    const differences = documented.map((sum, column) => Math.abs(sum - total(column)) < 0.03);
    expect(differences).toEqual([true, true, true]);
    const [idle, some, many] = documented;
    expect(cost).toContain(`costs **${idle} USD a month without a request**`);
    expect(cost).toContain(
      `${some?.toFixed(0)} USD with 3.3 million requests and ${many?.toFixed(0)} USD`,
    );
  });
});
