import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/contract/operations.ts';
import { templateOf } from '../../../support/stack.ts';
import { alarmCount } from '../tables.ts';

const cost = readFileSync('docs/cost.md', 'utf8');

describe('the bill', () => {
  it('counts the metrics that alarms read, and the metrics that filters count while nothing fails', () => {
    const { metrics, composites } = alarmCount(templateOf({ stage: 'prod' }));
    // The metrics are cold starts of each operation, status changes, accepted tokens and throttled requests.
    const counted = operationNames.length + 3;
    const idle = metrics * 0.1 + composites * 0.5 + 3;
    const busy = (idle + counted * 0.3).toFixed(2);
    expect(cost).toContain(
      `| ${metrics} × 0.10 + ${composites} × 0.50 + 3.00, and with requests ${counted} × 0.30 [2] | ${idle.toFixed(2)} | ${busy} | ${busy} |`,
    );
  });
});
