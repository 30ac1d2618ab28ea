// npm run test:mutation: runs the tests of the functions against mutants. Arguments go to Stryker:
// npm run test:mutation -- --mutate functions/http/if-match.ts

import { fileURLToPath } from 'node:url';

const CONST_ASSERTIONS = 'const-assertions';

/** Removes `as const`. Stryker would take the whole expression for a type, and not mutate schemas and tables. */
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
  // Entry files in functions/ itself only start an operation: nothing to mutate.
  mutate: ['functions/*/**/*.ts', '!**/*.d.ts'],
  ignorePatterns: ['/.local', '/cdk.out', '/coverage', '/dist'],
  tempDirName: 'dist/mutation/sandbox',
  // By path, because Stryker would look for names in the project's own node_modules.
  plugins: [
    fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner')),
    import.meta.filename,
  ],
  ignorers: [CONST_ASSERTIONS],
  // Nothing checks the sandbox's types, and Stryker cannot read tsconfig.json with TypeScript 7.
  disableTypeChecks: false,
  tsconfigFile: 'none',
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  // Four on two cores, because some mutants only wait for time limits.
  concurrency: 4,
  // Added to the dry run's time. Only tests that a mutant keeps from ending take longer.
  timeoutMS: 10_000,
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: 'dist/mutation/report.html' },
  incrementalFile: 'dist/mutation/incremental.json',
  thresholds: { high: 100, low: 95, break: 95 },
};
