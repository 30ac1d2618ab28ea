import { join } from 'node:path';
import { _, Ajv, type Options } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { pathParameterSchemas } from '../../../functions/contract/path-parameters.ts';
import { storedSchemas } from '../../../functions/contract/stored-schemas.ts';
import { ajvOptions } from '../../../functions/domain/formats.ts';
import { objectSchema } from '../../../functions/domain/json-schema.ts';
import { contracts } from '../../../functions/operations/operations.ts';
import { root } from '../../project.ts';
import { writeChanged } from './write-changed.ts';

/** Validator in `#validators` -> its schema. The types are in `functions/operations/validators.d.ts`. */
export function validatedSchemas(): Readonly<Record<string, object>> {
  return { ...storedSchemas, ...requestSchemas() };
}

function requestSchemas(): Readonly<Record<string, object>> {
  const schemas = contracts.flatMap(({ operationId, parameters, body }): [string, object][] => {
    const name = `is${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
    const pathParameters = objectSchema(pathParameterSchemas(parameters));
    return [
      [`${name}Path`, objectSchema({ pathParameters })],
      ...(body
        ? [[`${name}Body`, objectSchema({ body: body.schema })] satisfies [string, object]]
        : []),
    ];
  });
  return Object.fromEntries(schemas);
}

/**
 * Writes `dist/validators.js`, so that no bundle contains a schema compiler. Uses Ajv's default class: `Ajv2020` would
 * add code for `unevaluatedProperties`, which no schema uses, to every validator.
 */
export async function compileValidators(): Promise<void> {
  const write = (name: string, code: string) =>
    writeChanged(join(root, 'dist', name), Buffer.from(code));
  // `repair` needs all faults of a stored item; a request gets only its first. `loopRequired` keeps the code short.
  const stored = moduleOf(storedSchemas, { allErrors: true, loopRequired: 1 });
  await write('stored-validators.js', stored);
  const requests = moduleOf(requestSchemas());
  await write('validators.js', `${requests}\nexport * from './stored-validators.js';\n`);
}

function moduleOf(schemas: Readonly<Record<string, object>>, options: Options = {}): string {
  // Validators contain their schemas, and cold starts do not need the descriptions.
  const undescribed: Readonly<Record<string, object>> = JSON.parse(
    JSON.stringify(schemas, (name, value) =>
      name === 'description' && typeof value === 'string' ? undefined : value,
    ),
  );
  const ajv = new Ajv({
    ...ajvOptions,
    ...options,
    schemas: Object.entries(undescribed).map(([name, schema]) => ({ $id: name, ...schema })),
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  const names = Object.keys(schemas);
  const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  return `import * as formats from '../functions/domain/formats.ts';\n${code}`;
}
