import { defineConfig, mergeConfig } from 'vitest/config';
import tests, { seedOr } from '../vitest.config.ts';

const seed = seedOr(Math.floor(Math.random() * 2 ** 32));
process.stdout.write(`SEED=${seed}\n`);

// Fifty times as many random cases as in `npm test`. Unless SEED is set, each run has a new seed.
export default mergeConfig(
  tests,
  defineConfig({
    test: { provide: { scale: 1, seed } },
  }),
);
