import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { templateOf } from '../../../support/stack.ts';
import { alarmCount } from '../tables.ts';

const cost = readFileSync('docs/cost.md', 'utf8');

describe('the bill', () => {
  it('counts the metrics that alarms read, and the metrics that filters count while nothing fails', () => {
    const { metrics, composites } = alarmCount(templateOf({ stage: 'prod' }));
    const usd = (metrics * 0.1).toFixed(2);
    expect(cost).toContain(
      `| CloudWatch alarms | ${metrics} metrics | 0.10 each [2] | ${usd} | ${usd} | ${usd} |`,
    );
    const half = (composites * 0.5).toFixed(2);
    expect(cost).toContain(
      `| CloudWatch composite alarms | ${composites} | 0.50 each [2] | ${half} | ${half} | ${half} |`,
    );
    // The metrics are cold starts of each operation, status changes, accepted tokens and throttled requests.
    const counted = operationNames.length + 3;
    expect(cost).toMatch(new RegExp(`\\| CloudWatch custom metrics \\| ${counted},`));
    const some = (counted * 0.3).toFixed(2);
    expect(cost).toContain(`| 0.30 each [2] | 0.00 | ${some} | ${some} |`);
  });
});
