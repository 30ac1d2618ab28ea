import { fileURLToPath } from 'node:url';
import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { ajvOptions, validatedSchemas } from '../../functions/contract/validated-schemas.ts';
import { root } from '../project.ts';
import { writeChanged } from './files.ts';

/** Schemas of stored items: only the places of their errors are logged, so messages are left out. */
const STORED = ['application', 'job'];

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
 * Compiles the schemas to standalone modules, `dist/validators/<name>.js`, so that the bundles hold no
 * schema compiler.
 */
export async function compileValidators(): Promise<void> {
  for (const [name, schema] of Object.entries(validatedSchemas)) {
    const ajv = new Ajv2020({
      ...ajvOptions,
      messages: !STORED.includes(name),
      code: { source: true, esm: true, lines: true, formats: _`formats` },
    });
    const code = standalone.default(ajv, ajv.compile(withoutAnnotations(schema)));
    const imported = `import { formats } from '../../functions/domain/formats.ts';\n`;
    const path = fileURLToPath(new URL(`dist/validators/${name}.js`, root));
    await writeChanged(path, Buffer.from(imported + code));
  }
}
