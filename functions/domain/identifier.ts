import { hash } from 'node:crypto';

/** In UTF-8. */
export const MAX_IDENTIFIER_BYTES = 256;
const CONTROL = /\p{Cc}/u;

/** Follows "must be". */
export const IDENTIFIER_RULE = `1 to ${MAX_IDENTIFIER_BYTES} bytes of UTF-8 without control characters`;

/** For jobs, candidates, tenants and callers. Most strings are valid: platforms use identifiers such as `gh:4007`. */
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
 * What stands for an identifier in the log and in events. With other characters, it may be a name, an e-mail address or
 * a telephone number. Whoever knows it can search the log for its hash, but nobody can read it there.
 */
export const pseudonym = (identifier: string): string =>
  /^[\w.:|~-]+$/.test(identifier)
    ? identifier
    : `sha256:${hash('sha256', identifier).slice(0, 16)}`;

/** The format limits bytes; `maxLength` would count characters. */
export const Identifier = {
  type: 'string',
  format: 'identifier',
  description: `Any string of ${IDENTIFIER_RULE}. The limit counts bytes, not characters.`,
} as const;
