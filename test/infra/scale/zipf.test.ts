import { describe, expect, it } from 'vitest';
import { cumulated, indexAbove, zipfShares } from '../../../infra/scale/zipf.ts';

describe('the shares of Zipf’s law', () => {
  const EULER = 0.577_215_664_901_532_9;

  it('with the exponent 1 begin with one by the harmonic number', () => {
    const count = 1_000_000;
    const harmonic = Math.log(count) + EULER + 1 / (2 * count);
    expect((zipfShares(count, 1)[0] ?? 0) * harmonic).toBeCloseTo(1, 10);
  });

  it('with the exponent 2 begin with six by the square of pi', () => {
    expect(zipfShares(1_000_000, 2)[0]).toBeCloseTo(6 / Math.PI ** 2, 5);
  });

  it('with the exponent 0 are equal', () => {
    expect(zipfShares(4, 0)).toEqual(Float64Array.of(0.25, 0.25, 0.25, 0.25));
  });

  it('fall with the rank as its power, and sum up to 1', () => {
    const shares = zipfShares(100_000, 0.8);
    expect((shares[999] ?? 0) / (shares[0] ?? 1)).toBeCloseTo(1000 ** -0.8, 12);
    expect(cumulated(shares).at(-1)).toBeCloseTo(1, 12);
  });
});

describe('the search in ascending sums', () => {
  const sums = Float64Array.of(0.5, 0.75, 0.75, 1);

  it.each([
    [0, 0],
    [0.49, 0],
    [0.5, 1],
    [0.75, 3],
    [0.99, 3],
    [1, 3],
  ])('above %d finds the index %d', (value, index) => {
    expect(indexAbove(sums, value)).toBe(index);
  });

  it('keeps within its bounds', () => {
    expect(indexAbove(sums, 0, 1, 3)).toBe(1);
    expect(indexAbove(sums, 1, 1, 3)).toBe(2);
  });
});
