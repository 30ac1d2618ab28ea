import { isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';

/** The string formats that the schemas name beyond those of JSON Schema. */
export const formats = { identifier: isIdentifier, timestamp: isTimestamp };
