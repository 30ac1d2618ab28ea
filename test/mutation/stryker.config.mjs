// npm run test:mutation: runs the tests of the functions against mutants of the functions. Arguments
// go to Stryker: npm run test:mutation -- --mutate functions/http/if-match.ts

import { fileURLToPath } from 'node:url';

const CONST_ASSERTIONS = 'const-assertions';

/**
 * Stryker takes `… as const` for a type and leaves it alone, and with it every schema and table.
 * Without the assertion, which only the compiler reads, they are mutated like any other value.
 */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: CONST_ASSERTIONS,
    value: {
      shouldIgnore(path) {
        if (!path.isProgram()) return;
        path.traverse({
          TSAsExpression(assertion) {
            assertion.replaceWith(assertion.node.expression);
          },
        });
      },
    },
  },
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['functions/**/*.ts', '!**/*.d.ts'],
  ignorePatterns: ['/.local', '/cdk.out', '/coverage', '/dist'],
  tempDirName: 'dist/mutation/sandbox',
  // Stryker would look for the runner in the project's own node_modules.
  plugins: [
    fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner')),
    import.meta.filename,
  ],
  ignorers: [CONST_ASSERTIONS],
  // The sandbox is not type-checked, and Stryker cannot read tsconfig.json with TypeScript 7.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  // Twice the cores of CI: some mutants only wait for time limits.
  concurrency: 4,
  // Beside the time of the dry run, which Stryker adds: only a mutant that never ends takes this long.
  timeoutMS: 10_000,
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: 'dist/mutation/report.html' },
  incrementalFile: 'dist/mutation/incremental.json',
  thresholds: { high: 100, low: 95, break: 95 },
};
