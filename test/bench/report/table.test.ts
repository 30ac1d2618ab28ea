import { describe, expect, it } from 'vitest';
import { differenceRow, holds, plainRow, ratioRow } from './row.ts';
import { tableOf } from './table.ts';

const heading = { what: 'read: cold start', unit: 'ms' };
const sdk = { name: 'sdk', values: [100, 120, 110] };

describe('the table of the benchmark', () => {
  it('compares medians, and holds the ratio against the target', () => {
    const row = ratioRow({ ...heading, target: 0.55 }, [55, 50, 60], sdk);
    expect(row.comparison?.value).toBe(0.5);
    expect(tableOf([row]).split('\n')[1]).toMatch(
      /^read: cold start {2}55 \(52\.5–57\.5\) ms {2}sdk 110 \(105–115\) ms {2}×0\.50 \(.*\) {2}0\.55 +holds$/,
    );
  });

  it('says where a target is missed, and nothing where there is none', () => {
    expect(holds(ratioRow({ ...heading, target: 0.55 }, [70], sdk))).toBe(false);
    expect(holds(ratioRow(heading, [70], sdk))).toBe(undefined);
    expect(tableOf([plainRow({ ...heading, target: 60 }, [70])])).toContain('missed');
  });

  it('takes a difference round by round', () => {
    const row = differenceRow({ ...heading, target: 25 }, [120, 145, 131], sdk);
    expect(row.comparison).toMatchObject({ kind: 'difference', value: 21 });
    expect(holds(row)).toBe(true);
  });
});
