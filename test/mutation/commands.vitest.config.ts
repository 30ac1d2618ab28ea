import config from './vitest.config.ts';

const { test } = config;

export default {
  ...config,
  test: {
    ...test,
    include: ['test/infra/commands/{,candidate/,export/,import/}*.test.ts'],
  },
};
