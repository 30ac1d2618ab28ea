import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the races first: they take longest, and the other files run beside them. */
class RacesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId }: TestSpecification) => Number(!moduleId.includes('/races-'));
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['test/**/*.test.ts'],
    provide: { scale: 1, seed: seedOr(1) },
    sequence: { sequencer: RacesFirst },
    // The counts that .ci/run ends with, a file for each run.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: `dist/test-results/${process.pid}.json` }]]
      : ['default'],
    // Most tests wait for the database, so a third worker pays even on two cores.
    maxWorkers: 3,
    // Tests that run side by side wait for time-outs.
    maxConcurrency: 20,
    // Guards against tests that hang, not limits: a busy machine takes long.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    // Every file would start a process and load the SDK or the CDK again: half of the time of most files.
    isolate: false,
    setupFiles: 'test/support/restore-process.ts',
    coverage: {
      include: ['functions/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: ['text', 'html'],
    },
  },
});

/** The seed of the random cases: the environment's SEED, or this one. */
export function seedOr(fallback: number): number {
  const text = process.env.SEED;
  if (text === undefined) return fallback;
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0) throw new Error('SEED must be a whole number from 0.');
  return seed;
}
