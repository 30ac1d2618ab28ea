import { fileURLToPath } from 'node:url';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { ajvOptions, validatedSchemas } from '../../functions/contract/validated-schemas.ts';
import { root } from '../project.ts';
import { writeChanged } from './write-changed.ts';

/** A schema without what is for readers, which the compiled code would contain. */
const withoutAnnotations = (schema: object): object =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => {
      const isDescription = key === 'description' && typeof value === 'string';
      const isExamples = key === 'examples' && Array.isArray(value);
      return isDescription || isExamples ? undefined : value;
    }),
  );

/**
 * Compiles the schemas to `dist/validators.js`, so that the bundles hold no schema compiler. Ajv's class
 * for 2020-12 would write code for `unevaluatedProperties` into each, which no schema uses.
 */
export async function compileValidators(): Promise<void> {
  const ajv = new Ajv({
    ...ajvOptions,
    schemas: Object.entries(validatedSchemas).map(([name, schema]) => ({
      $id: name,
      ...withoutAnnotations(schema),
    })),
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  const names = Object.keys(validatedSchemas);
  const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  const imported = `import { formats } from '../functions/domain/formats.ts';\n`;
  await writeChanged(
    fileURLToPath(new URL('dist/validators.js', root)),
    Buffer.from(imported + code),
  );
}
