import { defineConfig, mergeConfig } from 'vitest/config';
import tests, { seedOr } from '../vitest.config.ts';

// The soak: ten times the random cases, with a seed of its own each time.
export default mergeConfig(
  tests,
  defineConfig({
    test: {
      provide: { scale: 10, seed: seedOr(Math.floor(Math.random() * 2 ** 32)) },
      // It asks so much of the one database that suites side by side would slow one another down.
      fileParallelism: false,
      // Each file fills much memory.
      isolate: true,
      testTimeout: 3_600_000,
      hookTimeout: 3_600_000,
    },
  }),
);
