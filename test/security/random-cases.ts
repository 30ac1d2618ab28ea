import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The share of the soak's random cases that this run executes. */
    scale: number;
    /** The seed of the random choices. The machine decides the order of racing clients. */
    seed: number;
  }
}

/** Returns how many of the soak's `runs` this run executes. */
export const scaled = (runs: number) => Math.max(1, Math.round(runs * inject('scale')));

/** Returns this run's selection of the soak's cases, which depends on the seed. The soak executes all cases. */
export function sampled<T>(cases: readonly T[]): T[] {
  const share = Math.max(1, Math.round(1 / inject('scale')));
  return cases.filter((_, nth) => nth % share === seed() % share);
}

/** The seed of this run. Each soak has a new seed. `SEED=… npm test` repeats a run. */
export const seed = () => inject('seed');
