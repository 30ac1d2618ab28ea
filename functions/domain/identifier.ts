import { hash } from 'node:crypto';

/** The maximum size of an identifier, in bytes of UTF-8. */
export const MAX_IDENTIFIER_BYTES = 256;
const CONTROL = /\p{Cc}/u;

/** The rule for an identifier, as text that can follow "must be". */
export const IDENTIFIER_RULE = `1 to ${MAX_IDENTIFIER_BYTES} bytes of UTF-8 without control characters`;

/**
 * Returns whether `value` is a valid identifier of a job, a candidate, a tenant or a caller. Most strings are valid,
 * because recruitment platforms use identifiers such as `gh:4007`.
 */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= MAX_IDENTIFIER_BYTES &&
    !CONTROL.test(value)
  );
}

/**
 * Returns the text that stands for an identifier in the log and in events. An identifier of ASCII letters, digits and
 * `_ . : | ~ -` stays unchanged. Any other identifier may be a name, an e-mail address or a telephone number, so the
 * function returns a hash of the identifier. Somebody who knows the identifier can search the log for the hash, but
 * nobody can read the identifier in the log.
 */
export const pseudonym = (identifier: string): string =>
  /^[\w.:|~-]+$/.test(identifier)
    ? identifier
    : `sha256:${hash('sha256', identifier).slice(0, 16)}`;

/**
 * The schema of an identifier. The `identifier` format limits the bytes, because `maxLength` of JSON Schema would count
 * characters.
 */
export const Identifier = {
  type: 'string',
  format: 'identifier',
  description: `Any string of ${IDENTIFIER_RULE}. The limit counts bytes, not characters.`,
} as const;
