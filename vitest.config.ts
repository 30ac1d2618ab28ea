import { defineConfig } from 'vitest/config';

// `npm run test:soak` runs the suites of test/security ten times as long.
const script = process.env.npm_lifecycle_event ?? 'test';
const isSoak = script === 'test:soak';

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    provide: { scale: isSoak ? 10 : 1, seed: seedOf(process.env.SEED) },
    // The counts that .ci/run ends with.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: `dist/test-results/${script.replace(':', '-')}.json` }]]
      : ['default'],
    // Most tests wait for the database, so a third worker pays even on two cores.
    maxWorkers: 3,
    // The soak asks so much of the one database that suites side by side would starve one another.
    fileParallelism: !isSoak,
    // Tests that run side by side wait for time-outs.
    maxConcurrency: 20,
    // A guard against tests that hang, not a limit: a busy machine takes long.
    testTimeout: isSoak ? 3_600_000 : 900_000,
    hookTimeout: isSoak ? 3_600_000 : 900_000,
    coverage: {
      include: ['functions/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: ['text', 'html'],
    },
  },
});

function seedOf(text: string | undefined): number {
  if (text === undefined) return isSoak ? Math.floor(Math.random() * 2 ** 32) : 1;
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0) throw new Error('SEED must be a whole number from 0.');
  return seed;
}
