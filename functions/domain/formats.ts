import { isAddressable, isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';

/** The string formats that the schemas define in addition to the formats of JSON Schema. */
export const formats = {
  identifier: isIdentifier,
  'addressable-identifier': isAddressable,
  timestamp: isTimestamp,
};

/**
 * The options with which Ajv compiles the schemas. With these options, Ajv is strict, does not convert types, and does
 * not insert default values.
 */
export const ajvOptions = {
  strict: true,
  allowUnionTypes: true,
  formats,
};
