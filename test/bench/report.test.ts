import { describe, expect, it } from 'vitest';
import { lineOf, type Row, summarize } from './report.ts';

const row: Row = {
  metric: 'cold start',
  what: 'get-application',
  unit: 'ms',
  ours: [55, 60, 44],
  other: { label: 'SDK', values: [100, 120, 110] },
  target: 0.5,
};

describe('the table of the benchmark', () => {
  it('compares round by round, and gives medians with the least and the greatest', () => {
    expect(lineOf(row).split(/ {2,}/)).toEqual([
      'cold start',
      'get-application',
      '55 (44–60) ms',
      'SDK',
      '110 (100–120) ms',
      '×0.500 (0.400–0.550)',
      '≤ 0.5',
      'met',
    ]);
  });

  it('says that a target is missed, of a ratio and of a measurement', () => {
    expect(lineOf({ ...row, target: 0.49 })).toMatch(/missed$/);
    const size = { metric: 'bundle, zipped', what: 'get-application', unit: 'KB', ours: [76] };
    expect(lineOf({ ...size, target: 75 })).toMatch(/76 KB .* missed$/);
  });

  it('gives no verdict without a target', () => {
    expect(lineOf({ ...row, target: undefined })).not.toMatch(/met|missed/);
  });

  it('takes the mean of the two middle values of an even number', () => {
    expect(summarize([4, 1, 3, 2])).toEqual({ median: 2.5, least: 1, greatest: 4 });
  });
});
