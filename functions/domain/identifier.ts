import { hash } from 'node:crypto';

/** The most bytes of UTF-8 that an identifier may have. */
export const IDENTIFIER_LIMIT_BYTES = 256;
const CONTROL = /\p{Cc}/u;

/** What an identifier must be, in words. */
export const IDENTIFIER_RULE = `1 to ${IDENTIFIER_LIMIT_BYTES} bytes of UTF-8 without control characters`;

/**
 * Whether `value` may name a job, a candidate or a tenant. Little is forbidden, because platforms
 * migrate in with ids such as `gh:4007`.
 */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= IDENTIFIER_LIMIT_BYTES &&
    !CONTROL.test(value)
  );
}

/**
 * Returns an identifier as the log and the events hold it: unchanged if it consists of ASCII letters, digits
 * and `_ . : | ~ -`. Any other may be a name, an e-mail address or a telephone number, and is hashed: someone
 * who knows it can find it in the log, but nobody can read it there.
 */
export const pseudonym = (identifier: string): string =>
  /^[\w.:|~-]+$/.test(identifier)
    ? identifier
    : `sha256:${hash('sha256', identifier).slice(0, 16)}`;

/** The schema of an identifier. JSON Schema counts characters, so the format counts the bytes. */
export const Identifier = {
  type: 'string',
  format: 'identifier',
  description: `Any string of ${IDENTIFIER_RULE}. The limit counts bytes, not characters.`,
} as const;
