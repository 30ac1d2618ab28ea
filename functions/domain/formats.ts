import { isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';

/** The string formats of the schemas that JSON Schema does not define. */
export const formats = { identifier: isIdentifier, timestamp: isTimestamp };

/** The options by which Ajv reads the schemas: strictly, without coercion and without default values. */
export const ajvOptions = {
  strict: true,
  allowUnionTypes: true,
  formats,
  // The keyword names a field of the log and has no effect on validation.
  keywords: ['logField'],
};
