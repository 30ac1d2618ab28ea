import { expect, it } from 'vitest';
import { lineOf } from './report.ts';

it('the benchmark compares round by round, and gives medians with the least and the greatest', () => {
  const line = lineOf({
    metric: 'cold start',
    operation: 'get-application',
    unit: 'ms',
    ours: [55, 60, 44, 50],
    other: { label: 'SDK as users build it', values: [100, 120, 110, 100] },
  });
  expect(line.split(/ {2,}/)).toEqual([
    'cold start',
    'get-application',
    '52.5 (44–60) ms',
    'SDK as users build it',
    '105 (100–120) ms',
    '×0.5 (0.4–0.55)',
  ]);
});
