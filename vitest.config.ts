import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    // The counts that .ci/run ends with.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'dist/test-results.json' }]]
      : ['default'],
    // Most tests wait for the database, so a third worker pays even on two cores.
    maxWorkers: 3,
    testTimeout: 15_000,
    hookTimeout: 60_000,
    coverage: {
      include: ['functions/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: ['text', 'html'],
    },
  },
});
