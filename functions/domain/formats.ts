import { isIdentifier } from './identifier.ts';
import { isTimestamp } from './timestamp.ts';

export const formats = { identifier: isIdentifier, timestamp: isTimestamp };

export const ajvOptions = {
  strict: true,
  allowUnionTypes: true,
  formats,
};
