import { describe, expect, it } from 'vitest';
import { chartOf, summaryOf } from '../../../infra/scale/report.ts';
import { simulate } from '../../../infra/scale/simulation.ts';

const options = {
  applications: 100_000,
  jobs: 1000,
  exponent: 1,
  seed: 1,
  itemBytes: 2500,
  readsPerSecond: 10_000,
};
const simulation = simulate(options);

describe('a simulation', () => {
  it('reads the most read application as often as the law says', () => {
    const harmonic = Math.log(options.applications) + 0.577_215_664_9;
    expect(simulation.hottestItem * harmonic).toBeCloseTo(1, 4);
    expect(simulation.hottestJob).toBeGreaterThanOrEqual(simulation.hottestItem);
  });

  it('counts half a read unit for each 4 KB begun', () => {
    const units = (itemBytes: number) => simulate({ ...options, itemBytes }).unitsPerRead;
    expect([1, 4096, 4097, 8193].map(units)).toEqual([0.5, 0.5, 1, 1.5]);
  });

  it('reaches from a hundredth to a hundredfold of the load', () => {
    const loads = simulation.loads.map(({ readsPerSecond }) => readsPerSecond);
    expect(loads).toHaveLength(33);
    expect([loads[0], loads[16], loads[32]].map((load) => Math.round(load ?? 0))).toEqual([
      100, 10_000, 1_000_000,
    ]);
  });

  it('finds at each load the item within the split, and the split within the unsplit partition', () => {
    for (const { even, hottest, split, item, partitions } of simulation.loads) {
      const error = 1e-6 * hottest;
      expect(hottest).toBeGreaterThanOrEqual(even - error);
      expect(hottest).toBeGreaterThanOrEqual(split.hottest - error);
      expect(split.hottest).toBeGreaterThanOrEqual(item - error);
      expect(split.hottest).toBeLessThanOrEqual(Math.max(3000, item) + error);
      expect(split.partitions).toBeGreaterThanOrEqual(partitions);
    }
  });

  it('tells the loads at which the partition is full as its loads show them', () => {
    const firstOver = (units: (load: (typeof simulation.loads)[number]) => number) =>
      simulation.loads.find((load) => units(load) > 3000)?.readsPerSecond ?? 0;
    const step = 10 ** (1 / 8);
    const before = firstOver(({ hottest }) => hottest) / simulation.fullBeforeSplit;
    const after = firstOver(({ split }) => split.hottest + 1e-6) / simulation.fullAfterSplit;
    for (const ratio of [before, after]) {
      expect(ratio).toBeGreaterThanOrEqual(1 - 1e-9);
      expect(ratio).toBeLessThanOrEqual(step);
    }
  });
});

describe('its chart and its summary', () => {
  it('are the same for the same options, byte for byte, and others for another seed', () => {
    const again = simulate({ ...options });
    expect(chartOf(again)).toBe(chartOf(simulation));
    expect(summaryOf(again)).toBe(summaryOf(simulation));
    expect(chartOf(simulate({ ...options, seed: 2 }))).not.toBe(chartOf(simulation));
  });

  it('say what was simulated and what was found', () => {
    const population =
      '100,000 applications to 1,000 jobs, 0.25 GB, 0.5 read units a read, exponent 1';
    expect(chartOf(simulation)).toContain(population);
    expect(summaryOf(simulation)).toContain(population);
    expect(summaryOf(simulation)).toMatch(/A partition is full at [\d,]+ reads a second before/);
    expect(chartOf(simulation).match(/<polyline/g)).toHaveLength(4);
  });
});
