import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The tests that cover `functions/`: their project is the only one whose coverage counts. */
const FUNCTIONS = 'functions';

/** They take longest. Those that mostly wait stand beside those that mostly compute. */
const LONGEST = [
  'local/start.test',
  'live-data-histories',
  'races-any',
  'races-lifecycle',
  'local/start-options',
];

/**
 * Starts the longest files first, and the tests of the functions last. A project's worker is not used for
 * another, so they are not mixed.
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

/** Coverage is an option of the whole run; this turns it off for one project. */
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
    // A snapshot file that is missing is a failure, and only `npm run generate` writes one.
    update: 'none',
    globalSetup: 'test/support/global-setup.ts',
    provide: { scale: 0.1, seed: seedOr(1) },
    sequence: { sequencer: LongestFirst },
    // The counts that .ci/run ends with.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'dist/test-results.json' }]]
      : ['default'],
    // Each worker loads the SDK and the CDK: on two cores, a third one costs more CPU time than it gains.
    maxWorkers: 2,
    // Tests that run side by side wait for timeouts.
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
      reporter: [['text', { skipFull: true }], 'html'],
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
