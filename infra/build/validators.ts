import { fileURLToPath } from 'node:url';
import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { compiled } from '../../functions/contract/compiled.ts';
import { formats } from '../../functions/domain/formats.ts';
import { root, writeChanged } from './files.ts';

/** How the schemas are compiled: strictly, and nothing is coerced or defaulted. */
export const compilation = { strict: true, allowUnionTypes: true, formats };

/**
 * Compiles the schemas to standalone modules, `dist/validators/<name>.js`, so that no schema compiler
 * ships in a function.
 */
export async function compileValidators(): Promise<void> {
  const ajv = new Ajv2020({
    ...compilation,
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  for (const [name, schema] of Object.entries(compiled)) {
    const code = standalone.default(ajv, ajv.compile(schema));
    const imported = `import { formats } from '../../functions/domain/formats.ts';\n`;
    const path = fileURLToPath(new URL(`dist/validators/${name}.js`, root));
    await writeChanged(path, Buffer.from(imported + code));
  }
}
