import { IDENTIFIER_RULE, isIdentifier } from './identifier.ts';
import { CONTROL, END, ENDS_RULE, visible } from './text.ts';

/**
 * API Gateway decodes a path twice before it matches the route. An encoded `/` then separates segments, an encoded `?`
 * ends the path, and an encoded `%` is lost or makes the path invalid (`decodePath` in infra/local/gateway-event.ts
 * names the source).
 */
const NOT_IN_PATH = '/?%';

/** Excludes `.` and `..`: clients resolve these segments, even if they are encoded. */
export const ADDRESSABLE_PATTERN = `^(?!\\.{1,2}${END})${visible(CONTROL + NOT_IN_PATH).slice(1)}`;

const addressable = new RegExp(ADDRESSABLE_PATTERN, 'u');

/** For ids that never appear in a path. */
export const VISIBLE_IDENTIFIER_RULE = `${IDENTIFIER_RULE} and U+FFFD, which a wrong encoding leaves, and ${ENDS_RULE}`;
export const ADDRESSABLE_RULE = `${VISIBLE_IDENTIFIER_RULE}, and without /, ? and %, and not . or .., because no request can address these`;

/** Imports and live writes refuse ids that no request could address. */
export const isAddressable = (value: unknown): value is string =>
  isIdentifier(value) && addressable.test(value);

export const AddressableIdentifier = {
  type: 'string',
  format: 'addressable',
  description: `Any string of ${ADDRESSABLE_RULE}.`,
} as const;
