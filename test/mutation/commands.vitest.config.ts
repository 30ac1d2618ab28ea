import config from './vitest.config.ts';

const { test } = config;

export default {
  ...config,
  test: {
    ...test,
    include: ['test/infra/data/**/*.test.ts', 'test/security/live-data-histories.test.ts'],
  },
};
