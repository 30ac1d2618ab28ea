import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The project whose tests cover `functions/`. Only this project measures coverage. */
const FUNCTIONS = 'functions';

/** The files that take longest. Files that mostly wait alternate with files that mostly compute. */
const LONGEST = [
  'local/start.test',
  'live-data-histories',
  'clients/typescript',
  'local/start-options',
];

/**
 * Starts the longest files first, and the tests of the functions last. Vitest does not reuse a worker for another
 * project, so the projects run one after the other.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.includes(name));
      if (at >= 0) return at;
      return LONGEST.length + (project.name === FUNCTIONS ? 1 : 0);
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** A plugin that turns coverage off for one project, because Vitest has only an option for the whole run. */
const withoutCoverage: Plugin = {
  name: 'without-coverage',
  configureVitest({ project }) {
    project.config.coverage = { ...project.config.coverage, enabled: false };
  },
};

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: FUNCTIONS, include: ['test/functions/**/*.test.ts'] } },
      {
        extends: true,
        plugins: [withoutCoverage],
        test: {
          name: 'others',
          include: ['test/**/*.test.ts'],
          exclude: ['test/functions/**'],
        },
      },
    ],
    // A missing or stale file fails its test. Only `npm run generate` writes these files.
    update: 'none',
    globalSetup: 'test/support/global-setup.ts',
    provide: { scale: 0.02, seed: seedOr(1) },
    sequence: { sequencer: LongestFirst },
    // .ci/run prints the counts of the JSON report.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'dist/test-results.json' }]]
      : ['default'],
    // Each worker loads the SDK and the CDK, so a third worker on two cores would cost more CPU time than it saves.
    maxWorkers: 2,
    // Concurrent tests mostly wait for timeouts.
    maxConcurrency: 20,
    // These limits end only tests that hang. A busy machine takes long.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    // With isolation, each file would start a process and load the SDK or the CDK again. Most files spend half their time on this.
    isolate: false,
    setupFiles: 'test/support/restore-process.ts',
    coverage: {
      include: ['functions/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: [['text', { skipFull: true }], 'html'],
    },
  },
});

/** Returns the seed of the random cases, which is the SEED environment variable or `fallback`. */
export function seedOr(fallback: number): number {
  const text = process.env.SEED;
  if (text === undefined) return fallback;
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0) throw new Error('SEED must be a whole number from 0.');
  return seed;
}
