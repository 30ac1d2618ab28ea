import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The share of the random cases of the soak that a run makes. */
    scale: number;
    /** What the random choices begin with. The order of clients that race is up to the machine. */
    seed: number;
  }
}

/** How many of the `runs` of the soak this run makes. */
export const scaled = (runs: number) => Math.max(1, Math.round(runs * inject('scale')));

/** The cases that this run makes of those of the soak, which makes all; others with another seed. */
export function sampled<T>(cases: readonly T[]): T[] {
  const share = Math.max(1, Math.round(1 / inject('scale')));
  return cases.filter((_, nth) => nth % share === seed() % share);
}

/** The seed of this run. The soak has a new one each time; `SEED=… npm test` repeats a run. */
export const seed = () => inject('seed');
