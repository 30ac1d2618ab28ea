/** Whether `prefix` has only characters of a scope (RFC 6749, section 3.3): no space, no `"`, no backslash. */
export const isScopePrefix = (prefix: string) => /^[\x21\x23-\x5B\x5D-\x7E]*$/.test(prefix);
