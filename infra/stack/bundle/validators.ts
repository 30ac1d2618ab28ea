import { join } from 'node:path';
import { _, Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Operation } from '../../../functions/contract/operation.ts';
import { pathParameterSchemas } from '../../../functions/contract/path-parameters.ts';
import { storedSchemas } from '../../../functions/contract/stored-schemas.ts';
import { ajvOptions } from '../../../functions/domain/formats.ts';
import { objectSchema } from '../../../functions/domain/json-schema.ts';
import { operations } from '../../../functions/operations/operations.ts';
import { root } from '../../project.ts';
import { writeChanged } from './write-changed.ts';

/** By the name of the validator in `#validators`. The validators' types are in `functions/contract/validators.d.ts`. */
export function validatedSchemas(): Readonly<Record<string, object>> {
  const contracts: readonly Operation[] = Object.values(operations);
  const ofOperations = contracts.flatMap(
    ({ operationId, parameters, body }): [string, object][] => {
      const name = `is${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
      const pathParameters = objectSchema(pathParameterSchemas(parameters));
      return [
        [`${name}Path`, objectSchema({ pathParameters })],
        ...(body
          ? [[`${name}Body`, objectSchema({ body: body.schema })] satisfies [string, object]]
          : []),
      ];
    },
  );
  return { ...storedSchemas, ...Object.fromEntries(ofOperations) };
}

/**
 * Writes `dist/validators.js`, so that no bundle contains a schema compiler. Uses Ajv's default class: `Ajv2020` would
 * add code for `unevaluatedProperties`, which no schema uses, to every validator.
 */
export async function compileValidators(): Promise<void> {
  const schemas = validatedSchemas();
  // Validators contain their schemas, and no cold start needs the descriptions.
  const undescribed: Readonly<Record<string, object>> = JSON.parse(
    JSON.stringify(schemas, (name, value) =>
      name === 'description' && typeof value === 'string' ? undefined : value,
    ),
  );
  const ajv = new Ajv({
    ...ajvOptions,
    schemas: Object.entries(undescribed).map(([name, schema]) => ({ $id: name, ...schema })),
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  const names = Object.keys(schemas);
  const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  const imported = `import * as formats from '../functions/domain/formats.ts';\n`;
  await writeChanged(join(root, 'dist/validators.js'), Buffer.from(imported + code));
}
