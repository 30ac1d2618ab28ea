import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Share of the soak's random cases that this run checks; 1 in the soak. */
    scale: number;
    /** The same seed repeats the random choices, but not the order of racing clients. */
    seed: number;
  }
}

export const scaled = (runs: number) => Math.max(1, Math.round(runs * inject('scale')));

/** Which cases are sampled depends on the seed; the soak takes all. */
export function sampled<T>(cases: readonly T[]): T[] {
  const share = Math.max(1, Math.round(1 / inject('scale')));
  return cases.filter((_, nth) => nth % share === seed() % share);
}

/** New in each soak. `SEED=… npm test` repeats a run. */
export const seed = () => inject('seed');
