const LIMIT_BYTES = 256;
const CONTROL = /\p{Cc}/u;

/**
 * Whether `value` may name a job, a candidate or a tenant: 1 to 256 bytes of UTF-8 and no control
 * character. Everything else is allowed, because platforms migrate in with ids such as `gh:4007`.
 */
export function isIdentifier(value: string): boolean {
  return (
    value.length > 0 &&
    value.isWellFormed() &&
    Buffer.byteLength(value) <= LIMIT_BYTES &&
    !CONTROL.test(value)
  );
}

/** The schema of an identifier. JSON Schema counts characters, so the format counts the bytes. */
export const Identifier = {
  type: 'string',
  format: 'identifier',
  description: 'Any string of 1 to 256 UTF-8 bytes without control characters.',
} as const;
