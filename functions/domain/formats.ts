import { isAddressable, isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';

/** The string formats that the schemas define in addition to the formats of JSON Schema. */
export const formats = {
  identifier: isIdentifier,
  'addressable-identifier': isAddressable,
  timestamp: isTimestamp,
};

export const ajvOptions = {
  strict: true,
  allowUnionTypes: true,
  formats,
};
