import { describe, expect, it } from 'vitest';
import { hottestOf, partitionsFor, splitForHeat } from '../../../infra/scale/partitions.ts';
import { layOut, populate } from '../../../infra/scale/population.ts';
import { cumulated } from '../../../infra/scale/zipf.ts';

const piecesOf = (...shares: number[]) => ({
  places: Float64Array.from(shares, (_, index) => index / shares.length),
  sums: cumulated(Float64Array.from(shares)),
});

describe('the number of partitions', () => {
  it.each([
    [0, 0, 4],
    [40e9, 12_000, 4],
    [40e9 + 1, 0, 5],
    [0, 12_001, 5],
    [100e9, 90_000, 30],
  ])('for %d bytes and %d read units a second is %d', (bytes, units, count) => {
    expect(partitionsFor(bytes, units)).toBe(count);
  });
});

describe('splitting for heat', () => {
  it('leaves partitions alone that are not too hot', () => {
    expect(splitForHeat(piecesOf(0.1, 0.4, 0.3, 0.2), 2, 0.5)).toEqual({
      partitions: 2,
      hottest: expect.closeTo(0.5, 12),
    });
  });

  it('halves the reads of a hot partition', () => {
    const eight = piecesOf(...Array.from({ length: 8 }, () => 1 / 8));
    expect(splitForHeat(eight, 1, 0.5)).toEqual({ partitions: 2, hottest: 0.5 });
    expect(splitForHeat(eight, 1, 0.49)).toEqual({ partitions: 4, hottest: 0.25 });
  });

  it('leaves a single item that is too hot in a partition of its own', () => {
    const { hottest, partitions } = splitForHeat(piecesOf(0.05, 0.05, 0.8, 0.05, 0.05), 1, 0.1);
    expect(hottest).toBeCloseTo(0.8, 12);
    expect(partitions).toBe(3);
  });

  it('gives up none of the pieces, and never heats', () => {
    const options = { applications: 50_000, jobs: 300, exponent: 1.2, seed: 5 };
    const population = populate(options);
    const first = population.shares[0] ?? 1;
    const before = hottestOf(population, 4);
    for (const limit of [0.3, 0.1, 0.03, 0.01, 0.003]) {
      const { partitions, hottest } = splitForHeat(layOut(population, limit), 4, limit);
      expect(hottest).toBeLessThanOrEqual(Math.max(limit, first) + 1e-12);
      expect(hottest).toBeLessThanOrEqual(before + 1e-12);
      expect(hottest).toBeGreaterThanOrEqual(1 / partitions);
    }
  });
});

describe('the hottest of equal partitions', () => {
  it('has at least an even part, at least the hottest job, and with one partition all', () => {
    const population = populate({ applications: 20_000, jobs: 100, exponent: 1, seed: 1 });
    const job = Math.max(...population.jobShares);
    expect(hottestOf(population, 1)).toBeCloseTo(1, 12);
    for (const count of [4, 40, 400]) {
      expect(hottestOf(population, count)).toBeGreaterThanOrEqual(Math.max(1 / count, job));
    }
  });

  it('has hardly more than an even part where reads are even and jobs are many', () => {
    const population = populate({ applications: 200_000, jobs: 50_000, exponent: 0, seed: 1 });
    expect(hottestOf(population, 4)).toBeLessThan(0.26);
  });
});
