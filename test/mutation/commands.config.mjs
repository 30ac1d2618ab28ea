// For `npm run test:mutation:commands`: mutates only what handles candidates' data.
import functions from './stryker.config.mjs';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  ...functions,
  mutate: [
    'infra/data/{candidate,export}/*.ts',
    'infra/data/import/import-table.ts',
    'infra/data/table/files-bucket.ts',
    'infra/data/{records,writer}/*.ts',
    // Only the build and `npm run generate` use these.
    '!infra/data/records/record-types.ts',
    '!infra/data/writer/{build,declarations}.ts',
  ],
  vitest: { configFile: 'test/mutation/commands.vitest.config.ts' },
  incrementalFile: 'dist/mutation/commands.json',
  htmlReporter: { fileName: 'dist/mutation/commands.html' },
  thresholds: { high: 100, low: 90, break: 90 },
};
