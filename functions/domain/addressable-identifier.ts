import { IDENTIFIER_RULE, isIdentifier } from './identifier.ts';
import { CONTROL, END, ENDS_RULE, visible } from './text.ts';

/**
 * Characters that a path cannot carry: API Gateway decodes the path before it matches the route, so even an encoded `/`
 * separates segments.
 */
const NOT_IN_PATH = '/?';

/** The pattern of an identifier that a path can carry. Clients resolve the segments `.` and `..`, even encoded. */
export const ADDRESSABLE_PATTERN = `^(?!\\.{1,2}${END})${visible(CONTROL + NOT_IN_PATH).slice(1)}`;

const addressable = new RegExp(ADDRESSABLE_PATTERN, 'u');

export const ADDRESSABLE_RULE = `${IDENTIFIER_RULE}, without / or ?, ${ENDS_RULE}, and not . or .., which a path cannot contain`;

/** Whether a path can carry `value`, as each id must that an import, a writer or an operation stores. */
export const isAddressable = (value: unknown): value is string =>
  isIdentifier(value) && addressable.test(value);

/** The id of a job or a candidate in what is stored: in records, and in the body of an operation. */
export const AddressableIdentifier = {
  type: 'string',
  format: 'addressable',
  description: `Any string of ${ADDRESSABLE_RULE}.`,
} as const;
