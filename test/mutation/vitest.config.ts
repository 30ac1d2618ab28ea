import type { Plugin } from 'vitest/config';
import config from '../../vitest.config.ts';

const PREFIX = '#validators/';

/**
 * The build compiles the validators before a mutant is active. Here each test file compiles them
 * itself, so that the tests meet the mutants of the schemas.
 */
const validators: Plugin = {
  name: 'validators',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
  load: (id) =>
    id.startsWith(`\0${PREFIX}`)
      ? `import { Ajv2020 } from 'ajv/dist/2020.js';
         import { ajvOptions, compiled } from '/functions/contract/compiled.ts';
         export default new Ajv2020(ajvOptions).compile(compiled['${id.slice(PREFIX.length + 1)}']);`
      : undefined,
};

export default {
  plugins: [validators],
  test: {
    ...config.test,
    include: ['test/functions/**/*.test.ts'],
    // It reads the sources, which hold every mutant here.
    exclude: ['test/functions/sources.test.ts'],
    reporters: [],
  },
};
