import type { Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { validatedSchemas } from '../../infra/bundle/validators.ts';
import config from '../../vitest.config.ts';

const NAME = '#validators';
const exported = Object.keys(validatedSchemas()).map(
  (name) => `export const ${name} = compile('${name}');`,
);

/**
 * The build compiles the validators before a mutant is active. Here each test file compiles them
 * itself, so that the tests meet the mutants of the schemas.
 */
const validators: Plugin = {
  name: 'validators',
  enforce: 'pre',
  resolveId: (id) => (id === NAME ? `\0${id}` : undefined),
  load: (id) =>
    id === `\0${NAME}`
      ? `import { Ajv } from 'ajv';
         import { ajvOptions } from '/functions/domain/formats.ts';
         import { validatedSchemas } from '/infra/bundle/validators.ts';
         const schemas = validatedSchemas();
         // A built validator has no errors before its first call.
         const compile = (name) =>
           Object.assign(new Ajv(ajvOptions).compile(schemas[name]), { errors: undefined });
         ${exported.join('\n')}`
      : undefined,
};

/** Runs first what failed for the last mutant, often a neighbour, and then the quickest files. */
class LikelyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    // The dry run records what each file reaches, by loading its modules too. A mutant has a worker of its own,
    // in which the files share the modules: to load them takes longer than most tests.
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
    // The second checks what the contract publishes: its texts and examples.
    include: ['test/functions/**/*.test.ts', 'test/infra/openapi/document.test.ts'],
    reporters: [],
    setupFiles: [config.test?.setupFiles ?? [], 'test/mutation/setup.ts'].flat(),
    sequence: { sequencer: LikelyFirst },
  },
};
