import type { Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { validatedSchemas } from '../../infra/stack/bundle/validators.ts';
import config, { FUNCTION_TESTS } from '../../vitest.config.ts';

const NAME = '#validators';
const exported = Object.keys(validatedSchemas()).map(
  (name) => `export const ${name} = compile('${name}');`,
);

/** Makes each test file compile the validators from the schemas: the built ones lack the active mutant. */
const validators: Plugin = {
  name: 'validators',
  enforce: 'pre',
  resolveId: (id) => (id === NAME ? `\0${id}` : undefined),
  load: (id) =>
    id === `\0${NAME}`
      ? `import { Ajv } from 'ajv';
         import { ajvOptions } from '/functions/domain/formats.ts';
         import { storedSchemas } from '/functions/contract/stored-schemas.ts';
         import { validatedSchemas } from '/infra/stack/bundle/validators.ts';
         const schemas = validatedSchemas();
         // A built validator has no errors before its first call.
         const compile = (name) => {
           const ajv = new Ajv({ ...ajvOptions, allErrors: name in storedSchemas });
           return Object.assign(ajv.compile(schemas[name]), { errors: undefined });
         };
         ${exported.join('\n')}`
      : undefined,
};

/**
 * Runs first what failed for the previous mutant, because the next mutant is often nearby in the code; then the
 * quickest test files.
 */
class LikelyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    // Stryker's dry run isolates test files, to record which mutants each reaches while it loads. Later, all test files
    // for a mutant share a worker, because loading modules takes longer than most tests.
    for (const { project } of files) {
      project.config.isolate = project.getProvidedContext().mode === 'dry-run';
    }
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
    projects: undefined,
    // The last ones check the texts and examples that the contract publishes.
    include: [...FUNCTION_TESTS, 'test/infra/documents/*.test.ts'],
    reporters: [],
    setupFiles: [config.test?.setupFiles ?? [], 'test/mutation/setup.ts'].flat(),
    sequence: { sequencer: LikelyFirst },
  },
};
