/** The characters of a scope (RFC 6749, section 3.3): no space, no quotation mark, no backslash. */
const SCOPE_CHARACTERS = /^[\x21\x23-\x5B\x5D-\x7E]*$/;

/** Whether `prefix` may stand before the name of a scope. */
export const isScopePrefix = (prefix: string) => SCOPE_CHARACTERS.test(prefix);
