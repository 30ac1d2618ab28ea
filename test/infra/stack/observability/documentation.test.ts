import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { failureCodes, requestMetrics } from '../../../../infra/stack/request-metrics.ts';
import { ownDomain } from '../../../support/deployments.ts';
import { templateOf } from '../../../support/stack.ts';
import { alarmsOf, metricNamesOf } from './alarms.ts';

const page = readFileSync('docs/observability.md', 'utf8');
const cost = readFileSync('docs/cost.md', 'utf8');
const alarms = alarmsOf(templateOf({ stage: 'prod', ...ownDomain }));

/** The row of a table that begins with a name in code. */
const rowOf = (name: string) =>
  page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';

/** The name of an alarm on the page, which has a placeholder for the names of operations. */
const documentedName = (alarm: string) =>
  operationNames.reduce((name, one) => name.replace(`${one}-`, '<operation>-'), alarm);

describe('the page on observability', () => {
  it('has each metric with its dimensions, and each query', () => {
    for (const [name, { dimensions }] of Object.entries(requestMetrics)) {
      for (const dimension of dimensions) expect(rowOf(name)).toContain(`\`${dimension}\``);
    }
    for (const name of Object.keys(queries)) expect(rowOf(name)).not.toBe('');
  });

  it.each([...alarms])('has the alarm %s and its runbook', (name, { AlarmDescription }) => {
    const [runbook = 'none'] = /runbooks\/[\w-]+\.md$/.exec(AlarmDescription) ?? [];
    expect(rowOf(documentedName(name))).toContain(`(${runbook})`);
  });

  it('counts and prices what CloudWatch bills, on both pages', () => {
    const failures = operationNames.length * failureCodes.length;
    const custom = failures + operationNames.length + 1 + 1;
    const billed = alarmsOf(templateOf({ stage: 'prod' }));
    const read = [...billed.values()].flatMap(metricNamesOf).length;
    // The roll-out has one for each function.
    const alarmed = read + operationNames.length;
    const customUsd = (custom * 0.3).toFixed(2);
    const alarmsUsd = (alarmed * 0.1).toFixed(2);
    // Together, so that a failure shows all numbers to correct.
    expect([
      ...linesOf(page, '| custom metrics,', '| alarms, at'),
      ...linesOf(cost, '| CloudWatch alarms |', '| CloudWatch custom metrics |'),
      ...linesOf(cost, '| alarms |', '| custom metrics |'),
    ]).toEqual([
      expect.stringMatching(
        `at most ${custom}: ${failures} failures and ${operationNames.length} cold starts .* at most ${customUsd} `,
      ),
      expect.stringMatching(
        `${read} metrics in ${billed.size} alarms .* ${(read * 0.1).toFixed(2)} `,
      ),
      expect.stringMatching(`${alarmed} metrics .* ${alarmsUsd} .* ${alarmsUsd} .* ${alarmsUsd} `),
      expect.stringMatching(`${custom}, .* 0.00 .* ${customUsd} .* ${customUsd} `),
      expect.stringContaining(`| ${alarmsUsd} |`),
      expect.stringContaining(`| ${customUsd} |`),
    ]);
  });

  it('adds up the bill', () => {
    const bill = cost.slice(cost.indexOf('| Lambda requests'), cost.indexOf('| **Sum** |'));
    const amounts = bill
      .trim()
      .split('\n')
      .map((line) => line.split(' | ').slice(-3).map(Number.parseFloat));
    const [sums = ''] = linesOf(cost, '| **Sum** |');
    const documented = Array.from(sums.matchAll(/\*\*([\d.]+)\*\*/g), ([, sum]) => Number(sum));
    expect(amounts.length).toBeGreaterThan(15);
    // Each line is rounded to a cent by itself.
    expect(documented.map((sum, column) => Math.abs(sum - total(amounts, column)) < 0.03)).toEqual([
      true,
      true,
      true,
    ]);
    const [idle, some, many] = documented;
    expect(cost).toContain(`costs **${idle} USD a month without a request**`);
    expect(cost).toContain(
      `${some?.toFixed(0)} USD with 3.3 million requests and ${many?.toFixed(0)} USD`,
    );
  });
});

/** The first line that begins so, for each beginning. */
const linesOf = (text: string, ...beginnings: string[]) =>
  beginnings.map((beginning) => text.split('\n').find((line) => line.startsWith(beginning)));

const total = (rows: number[][], column: number) =>
  rows.reduce((sum, row) => sum + (row[column] ?? Number.NaN), 0);
