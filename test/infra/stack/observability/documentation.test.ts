import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../../functions/contract/operations.ts';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { failureCodes, requestMetrics } from '../../../../infra/stack/request-metrics.ts';
import { alarmsOf, metricNamesOf } from '../../../support/alarms.ts';
import { ownDomain } from '../../../support/deployments.ts';
import { templateOf } from '../../../support/stack.ts';

const page = readFileSync('docs/observability.md', 'utf8');
const alarms = alarmsOf(templateOf({ stage: 'prod', ...ownDomain }));

/** The row of a table that begins with a name in code, alone or with others. */
const rowOf = (name: string) =>
  page.split('\n').find((line) => line.split(' | ', 1)[0]?.includes(`\`${name}\``)) ?? '';

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

  it('counts the metrics and alarms that CloudWatch bills', () => {
    const count = Object.keys(operations).length;
    const failures = count * failureCodes.length;
    const metrics = failures + count + 1 + 1;
    const billed = alarmsOf(templateOf({ stage: 'prod' }));
    const read = [...billed.values()].flatMap(metricNamesOf).length;
    expect(page).toContain(`| at most ${metrics}: ${failures} failures`);
    expect(page).toContain(`| ${read} metrics in ${billed.size} alarms |`);
    const cost = readFileSync('docs/cost.md', 'utf8');
    expect(cost).toContain(`| CloudWatch custom metrics | ${metrics}, `);
    // The roll-out has one for each function.
    expect(cost).toContain(`| CloudWatch alarms | ${read + count} metrics |`);
  });
});
