import { defineConfig, mergeConfig } from 'vitest/config';
import tests, { seedOr } from '../vitest.config.ts';

const seed = seedOr(Math.floor(Math.random() * 2 ** 32));
process.stdout.write(`SEED=${seed}\n`);

// Fifty times the random cases of `npm test`, with another seed each time.
export default mergeConfig(
  tests,
  defineConfig({
    test: { provide: { scale: 1, seed } },
  }),
);
