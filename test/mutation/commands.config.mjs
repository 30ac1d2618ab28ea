// For `npm run test:mutation:commands`: mutates only what handles candidates' data.
import functions from './stryker.config.mjs';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  ...functions,
  mutate: [
    'infra/data/{candidate,export,import,records,writer}/*.ts',
    'infra/data/table/files-bucket.ts',
    '!infra/data/import/{import,report,source}.ts',
    // Only the build uses these.
    '!infra/data/records/record-types.ts',
    '!infra/data/writer/build.ts',
  ],
  vitest: { configFile: 'test/mutation/commands.vitest.config.ts' },
  incrementalFile: 'dist/mutation/commands.json',
  htmlReporter: { fileName: 'dist/mutation/commands.html' },
  thresholds: { high: 100, low: 90, break: 90 },
};
