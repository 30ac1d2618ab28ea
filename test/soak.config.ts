import { defineConfig, mergeConfig } from 'vitest/config';
import tests, { seedOr } from '../vitest.config.ts';

// Vitest loads this file more than once, and each time it must give the same seed.
if (process.env.SEED === undefined) {
  process.env.SEED = String(Math.floor(Math.random() * 2 ** 32));
  process.stdout.write(`SEED=${process.env.SEED}\n`);
}

// Fifty times as many random cases as in `npm test`. Unless SEED is set, each run has a new seed.
export default mergeConfig(
  tests,
  defineConfig({
    test: {
      provide: { scale: 1, seed: seedOr(1) },
      // The histories take about 15 minutes on two idle cores.
      testTimeout: 3_600_000,
    },
  }),
);
