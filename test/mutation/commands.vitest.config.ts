import config from './vitest.config.ts';

const { test } = config;

export default {
  ...config,
  test: {
    ...test,
    include: ['test/infra/commands/{,candidate/,export/,import/}*.test.ts'],
    // These tests run commands as processes, which no mutant reaches, or take long.
    exclude: ['**/recipes.test.ts'],
  },
};
