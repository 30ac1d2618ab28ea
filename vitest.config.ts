import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const FUNCTIONS = 'functions';
/** Includes calls.test.ts: its calls prove what an application may contain. */
export const FUNCTION_TESTS = [
  'test/functions/**/*.test.ts',
  'test/infra/data/writer/calls.test.ts',
];

/** Test files that mostly wait alternate with test files that mostly compute. */
const LONGEST = [
  'local/start.test',
  'live-data-histories',
  'clients/typescript',
  'local/start-options',
];

/**
 * Runs the longest test files first, and those of the functions last. Projects follow one another, because Vitest does
 * not reuse a worker for another project.
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

/** Turns off coverage for one project; Vitest's own option applies to the whole run. */
const withoutCoverage: Plugin = {
  name: 'without-coverage',
  configureVitest({ project }) {
    project.config.coverage = { ...project.config.coverage, enabled: false };
  },
};

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: FUNCTIONS, include: FUNCTION_TESTS } },
      {
        extends: true,
        plugins: [withoutCoverage],
        test: {
          name: 'others',
          include: ['test/**/*.test.ts'],
          exclude: [...FUNCTION_TESTS, '**/node_modules/**'],
        },
      },
    ],
    // Missing and stale snapshots fail; only `npm run generate:stack` writes them.
    update: 'none',
    globalSetup: 'test/support/global-setup.ts',
    provide: { scale: 0.02, seed: seedOr(1) },
    sequence: { sequencer: LongestFirst },
    // .ci/run reads the JSON report.
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: 'dist/test-results.json' }]]
      : ['default'],
    // On two cores, a third worker costs more CPU time than it saves: it would load the SDK and the CDK again.
    maxWorkers: 2,
    // Concurrent tests mostly wait for timeouts.
    maxConcurrency: 20,
    // On a busy machine, tests take long, so these limits end only tests that hang.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
    // With isolation, each test file would load the SDK or the CDK again: half the time of most files.
    isolate: false,
    setupFiles: 'test/support/restore-process.ts',
    coverage: {
      include: ['functions/**/*.ts'],
      thresholds: { branches: 100 },
      reporter: [['text', { skipFull: true }], 'html'],
    },
  },
});

export function seedOr(fallback: number): number {
  const text = process.env.SEED;
  if (text === undefined) return fallback;
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0) throw new Error('SEED must be a whole number from 0.');
  return seed;
}
