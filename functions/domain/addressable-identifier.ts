import { IDENTIFIER_RULE, isIdentifier } from './identifier.ts';
import { CONTROL, END, ENDS_RULE, visible } from './text.ts';

/**
 * API Gateway decodes a path twice before it matches the route, so an encoded `/` separates segments and an encoded `?`
 * ends the path (captures: `decodePath` in infra/local/gateway-event.ts).
 */
const NOT_IN_PATH = '/?%';

/** Clients resolve the segments `.` and `..`, even encoded. */
export const ADDRESSABLE_PATTERN = `^(?!\\.{1,2}${END})${visible(CONTROL + NOT_IN_PATH).slice(1)}`;

const addressable = new RegExp(ADDRESSABLE_PATTERN, 'u');

/** For an id that no path has to carry. */
export const VISIBLE_IDENTIFIER_RULE = `${IDENTIFIER_RULE} and U+FFFD, which a wrong encoding leaves, and ${ENDS_RULE}`;
export const ADDRESSABLE_RULE = `${VISIBLE_IDENTIFIER_RULE}, and without /, ? and %, and not . or .., because no request can address these`;

/** Whether a path can carry `value`. Imports and live writes refuse jobs and applications with other ids. */
export const isAddressable = (value: unknown): value is string =>
  isIdentifier(value) && addressable.test(value);

/** Of a job or a candidate, in a record or in the body of an operation. */
export const AddressableIdentifier = {
  type: 'string',
  format: 'addressable',
  description: `Any string of ${ADDRESSABLE_RULE}.`,
} as const;
