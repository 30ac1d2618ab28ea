import fc from 'fast-check';
import { expect } from 'vitest';
import { scaled, seed } from '../random-cases.ts';

/** Less often than this, an outcome would be luck. */
const SOME = 50;

/**
 * Checks `property` for 10,000 values, or as many more as the soak asks for.
 * @param outcomes those of the property that the values must come to, each more than fifty times.
 */
export async function checkProperty<T, Outcome extends string>(
  values: fc.Arbitrary<T>,
  property: (value: T) => Promise<Outcome>,
  outcomes: readonly Outcome[],
): Promise<void> {
  const numRuns = scaled(10_000);
  const seen: string[] = [];
  const counted = async (value: T) => {
    seen.push(await property(value));
  };
  await fc.assert(fc.asyncProperty(values, counted), { numRuns, seed: seed() });
  expect(seen).toHaveLength(numRuns);
  const rare = outcomes.filter((name) => seen.filter((one) => one === name).length <= SOME);
  expect(rare).toEqual([]);
}
