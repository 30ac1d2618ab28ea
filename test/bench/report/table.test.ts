import { describe, expect, it } from 'vitest';
import { differenceRow, holds, plainRow, ratioRow } from './row.ts';
import { tableOf } from './table.ts';

const heading = { what: 'read: cold start', unit: 'ms' };
const sdk = { name: 'sdk', values: [100, 120, 110] };

describe('the table of the benchmark', () => {
  it('compares round by round, and holds the median ratio against the target', () => {
    const row = ratioRow({ ...heading, target: 0.55 }, [55, 60, 44], sdk);
    expect(row.comparison?.result.median).toBe(0.5);
    expect(tableOf([row]).split('\n')[1]).toMatch(
      /^read: cold start {2}55 \(49\.5–57\.5\) ms {2}sdk 110 \(105–115\) ms {2}×0\.50 \(0\.45–0\.53\) {2}0\.55 +holds$/,
    );
  });

  it('says where a target is missed, and nothing where there is none', () => {
    expect(holds(ratioRow({ ...heading, target: 0.55 }, [70], sdk))).toBe(false);
    expect(holds(ratioRow(heading, [70], sdk))).toBe(undefined);
    expect(tableOf([plainRow({ ...heading, target: 60 }, [70])])).toContain('missed');
  });

  it('takes differences likewise', () => {
    const row = differenceRow({ ...heading, target: 25 }, [120, 145, 131], sdk);
    expect(row.comparison).toMatchObject({ kind: 'difference', result: { median: 21 } });
    expect(holds(row)).toBe(true);
  });
});
