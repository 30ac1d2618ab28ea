const SEPARATOR = '\\)?(?: ?[-./] ?| )?\\(?';
const EXTENSION = ' ?(?:[Ee][Xx][Tt]\\.?|[Xx]) ?[0-9]{1,8}';

/** Matches unpaired parentheses, for use in `not`: generated Rust and Go code has no lookaheads. */
export const UNBALANCED = {
  type: 'string',
  pattern: '(?:^|\\))[^(]*\\)|\\([^)]*(?:\\(|$)',
} as const;

/** Country prefix and number (ITU-T E.164), perhaps an extension. Has no anchors. */
export const PHONE_NUMBER = `\\+[1-9](?:${SEPARATOR}[0-9]){6,14}(?:${EXTENSION})?`;
