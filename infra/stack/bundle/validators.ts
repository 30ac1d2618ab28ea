import { fileURLToPath } from 'node:url';
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

/**
 * Returns the schemas to compile, by the names under which `#validators` exports their validators. There is a schema
 * for stored applications and a schema for stored jobs. Each operation has a schema for its path parameters, and a
 * schema for its parsed body if it has a body. `functions/contract/validators.d.ts` has the types of the validators.
 */
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
 * Compiles the schemas to `dist/validators.js`, so that the bundles contain no schema compiler. A bundle holds only
 * the validators that its operation imports. The function uses Ajv's default class. The class for JSON Schema 2020-12
 * would add code for `unevaluatedProperties` to each validator, although no schema uses this keyword.
 */
export async function compileValidators(): Promise<void> {
  const schemas = validatedSchemas();
  // Each validator holds its schema. A cold start would read the descriptions for nothing.
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
  await writeChanged(
    fileURLToPath(new URL('dist/validators.js', root)),
    Buffer.from(imported + code),
  );
}
