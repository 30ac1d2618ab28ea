import { hash } from 'node:crypto';

export const MAX_IDENTIFIER_BYTES = 256;

export const IDENTIFIER_RULE = `1 to ${MAX_IDENTIFIER_BYTES} bytes of UTF-8 without control characters`;

/** Allows nearly all characters, because platforms have identifiers such as `gh:4007`. */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= MAX_IDENTIFIER_BYTES &&
    !/\p{Cc}/u.test(value)
  );
}

/**
 * For logs and events. An identifier that does not match may be a name, an e-mail address or a telephone number, so it
 * is hashed. Whoever knows it can search for the hash.
 */
export const pseudonym = (identifier: string): string =>
  /^[\w.:|~-]+$/.test(identifier)
    ? identifier
    : `sha256:${hash('sha256', identifier).slice(0, 16)}`;

/** For ids in paths. A format, because `maxLength` would count characters, not bytes. */
export const Identifier = {
  type: 'string',
  format: 'identifier',
  description: `Any string of ${IDENTIFIER_RULE}.`,
} as const;
