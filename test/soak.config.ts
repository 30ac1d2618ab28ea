import { defineConfig, mergeConfig } from 'vitest/config';
import tests, { seedOr } from '../vitest.config.ts';

// The soak: all random cases, ten times those of `npm test`, with a seed of its own each time.
export default mergeConfig(
  tests,
  defineConfig({
    test: { provide: { scale: 1, seed: seedOr(Math.floor(Math.random() * 2 ** 32)) } },
  }),
);
