import { describe, expect, it } from 'vitest';
import { layOut, populate } from '../../../infra/scale/population.ts';
import { zipfShares } from '../../../infra/scale/zipf.ts';

const options = { applications: 200_000, jobs: 500, exponent: 1, seed: 3 };
const population = populate(options);
const sum = (values: Float64Array | Uint32Array) => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** A difference of arrays this long takes minutes to print. */
const isSame = (one: Float64Array | Uint32Array, other: Float64Array | Uint32Array) =>
  Buffer.from(one.buffer).equals(Buffer.from(other.buffer));

describe('a simulated table', () => {
  it('gives each application one job, and each job the reads of its applications', () => {
    expect(sum(population.sizes)).toBe(options.applications);
    expect(sum(population.jobShares)).toBeCloseTo(1, 12);
    const own = population.shares.filter((_, index) => population.jobOf[index] === 7);
    expect(population.jobShares[7]).toBeCloseTo(sum(own), 12);
    expect(population.sizes[7]).toBe(own.length);
  });

  it('draws the sizes of jobs by the law', () => {
    for (const [job, share] of zipfShares(options.jobs, 1).entries()) {
      const expected = options.applications * share;
      const deviation = Math.sqrt(expected * (1 - share));
      expect(Math.abs((population.sizes[job] ?? 0) - expected)).toBeLessThan(5 * deviation);
    }
  });

  it('spreads jobs evenly over the hash space', () => {
    const tenths = new Uint32Array(10);
    for (const place of population.places) {
      tenths[Math.floor(place * 10)] = (tenths[Math.floor(place * 10)] ?? 0) + 1;
    }
    // 50 are expected of each; their standard deviation is 6.7.
    for (const count of tenths) expect(Math.abs(count - 50)).toBeLessThan(5 * 6.7);
  });

  it('is another with another seed, and the same with the same', () => {
    const [again, other] = [populate(options), populate({ ...options, seed: 4 })];
    expect(isSame(again.jobOf, population.jobOf)).toBe(true);
    expect(isSame(again.places, population.places)).toBe(true);
    expect(isSame(other.jobOf, population.jobOf)).toBe(false);
    expect(isSame(other.places, population.places)).toBe(false);
  });
});

describe('its layout by keys', () => {
  it('holds all reads, in the order of the hash space', () => {
    const { places, sums } = layOut(population, 0.01);
    expect(sums.at(-1)).toBeCloseTo(1, 12);
    expect(isSame(places, places.toSorted())).toBe(true);
  });

  it('divides the jobs above the limit into their applications, and no others', () => {
    const large = [...population.jobShares.keys()].filter(
      (job) => (population.jobShares[job] ?? 0) > 0.01,
    );
    const applications = large.reduce((count, job) => count + (population.sizes[job] ?? 0), 0);
    expect(large.length).toBeGreaterThan(3);
    expect(layOut(population, 0.01).places).toHaveLength(
      options.jobs - large.length + applications,
    );
    expect(layOut(population, 1).places).toHaveLength(options.jobs);
  });
});
