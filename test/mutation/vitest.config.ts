import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config from '../../vitest.config.ts';

const compiler = JSON.stringify(fileURLToPath(new URL('validator.ts', import.meta.url)));

/**
 * The build compiles the validators before a mutant is active. Here each test file compiles them for
 * itself, so that the tests meet the mutants of the schemas.
 */
const validators: Plugin = {
  name: 'validators',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('#validators/') ? `\0${id}` : undefined),
  load: (id) =>
    id.startsWith('\0#validators/')
      ? `import { validator } from ${compiler};
         export default validator(${JSON.stringify(id.split('/')[1])});`
      : undefined,
};

/** What found the last mutant may find the next, its neighbour; of the others, the quickest first. */
class LikelyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const cost = (file: TestSpecification) => {
      const last = this.ctx.cache.getTestSpecificationResult(file);
      return last === undefined || last.failed ? 0 : last.duration;
    };
    return files.toSorted((one, other) => cost(one) - cost(other));
  }
}

export default {
  plugins: [validators],
  test: {
    ...config.test,
    include: ['test/functions/**/*.test.ts'],
    // They read the sources, and build them: these hold all mutants at once here.
    exclude: ['test/functions/sources.test.ts', 'test/functions/bundles.test.ts'],
    reporters: [],
    sequence: { sequencer: LikelyFirst },
  },
};
