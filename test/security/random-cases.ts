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

/** A seed of its own for each list of numbers, so that neighbours have no history in common. */
export const mixedSeed = (...numbers: readonly number[]): number =>
  numbers.reduce((mixed, number) => randomNumbers(mixed + number).below(2 ** 32), 0);

/**
 * Random numbers, the same ones for the same seed on every machine (mulberry32, by Tommy Ettinger): 32
 * bits of state are enough for test data, not for secrets.
 */
export function randomNumbers(from: number) {
  let state = from >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** At least 0, below 1. */
    next,
    /** A whole number from 0, below `limit`. */
    below: (limit: number) => Math.floor(next() * limit),
    /** One of several, each as likely as the others. */
    pick: <T>(among: readonly T[]): T => among[Math.floor(next() * among.length)] as T,
  };
}
