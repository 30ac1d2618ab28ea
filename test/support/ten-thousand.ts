import fc from 'fast-check';
import { scaled, seed } from './campaign.ts';

/** How long a property may take on a busy machine, in milliseconds. */
export const timeout = () => scaled(120_000);

/** Holds `property` for 10,000 values, or as many more as the soak asks for. */
export async function always<T>(
  values: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(values, property), { numRuns: scaled(10_000), seed: seed() });
}
