import config from './vitest.config.ts';

const { test } = config;

export default {
  ...config,
  test: {
    ...test,
    include: [
      'test/infra/data/**/*.test.ts',
      'test/infra/command/wrong-usage.test.ts',
      'test/infra/documents/generated.test.ts',
      'test/security/live-data-histories.test.ts',
    ],
  },
};
