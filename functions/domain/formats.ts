import { isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';

/** The string formats that the schemas use and JSON Schema does not define. */
export const formats = { identifier: isIdentifier, timestamp: isTimestamp };

/** The options with which Ajv compiles the schemas: strict mode, without type coercion and without default values. */
export const ajvOptions = {
  strict: true,
  allowUnionTypes: true,
  formats,
};
