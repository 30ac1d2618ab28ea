// Read in the copy of the project that run.ts makes: paths are relative to it.
/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['functions/**/*.ts', '!**/*.d.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // Node.js finds the modules further up.
  symlinkNodeModules: false,
  // There are no types to check.
  disableTypeChecks: false,
  concurrency: 2,
  // The tests have time-outs of their own; a slow machine is no sign of a mutant.
  timeoutMS: 60_000,
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: '../report.json' },
  htmlReporter: { fileName: '../report.html' },
  incrementalFile: '../incremental.json',
  warnings: { slow: false },
  // The verdict is that of run.ts.
  thresholds: { high: 100, low: 95, break: null },
};
