import { describe, expect, it } from 'vitest';
import { scaleOf } from '../../../infra/charts/axis.ts';

const linear = { label: 'Cost', scale: 'linear' } as const;
const log = { label: 'Load', scale: 'log' } as const;

describe('an axis', () => {
  it.each([
    [linear, [0, 97], [0, 20, 40, 60, 80, 100]],
    [linear, [0, 0.29], [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]],
    [linear, [7, 7], [6, 8]],
    [log, [3, 40_000], [1, 10, 100, 1000, 10_000, 100_000]],
    [log, [0.02, 3], [0.01, 0.1, 1, 10]],
    [log, [128, 3000], [100, 200, 500, 1000, 2000, 5000]],
    [log, [10, 10], [10, 20]],
  ])('%j over %j has ticks at round values around them', (axis, values, ticks) => {
    expect(scaleOf(axis, values).ticks).toEqual(ticks);
  });

  it.each([linear, log])('$scale: begins at 0 and ends at 1', (axis) => {
    const { ticks, place } = scaleOf(axis, [2, 900]);
    expect([place(ticks[0] ?? 0), place(ticks.at(-1) ?? 0)]).toEqual([0, 1]);
  });

  it('takes the ticks that are named, and still has room for all values', () => {
    const { ticks, place } = scaleOf({ ...log, ticks: [128, 256, 512] }, [200, 1024]);
    expect(ticks).toEqual([128, 256, 512]);
    expect([place(128), place(1024)]).toEqual([0, 1]);
  });

  it.each([
    [log, [0, 1], 'The log axis "Load" has no place for 0.'],
    [log, [-1], 'The log axis "Load" has no place for -1.'],
    [linear, [1, Number.NaN], 'The linear axis "Cost" has no place for NaN.'],
    [linear, [], 'The axis "Cost" has no values.'],
  ])('%j refuses %j', (axis, values, message) => {
    expect(() => scaleOf(axis, values)).toThrow(new RangeError(message));
  });

  it('takes as many values as there are', () => {
    const many = Array.from({ length: 500_000 }, (_, index) => index);
    expect(scaleOf(linear, many).ticks.at(-1)).toBe(500_000);
  });
});
