const SEPARATOR = '\\)?(?: ?[-./] ?| )?\\(?';
const EXTENSION = ' ?(?:[Ee][Xx][Tt]\\.?|[Xx]) ?[0-9]{1,8}';

/** For `not`: parentheses without their counterpart. Generated code in Rust and Go cannot read lookaheads. */
export const UNBALANCED = {
  type: 'string',
  pattern: '(?:^|\\))[^(]*\\)|\\([^)]*(?:\\(|$)',
} as const;

/** The country prefix and the number (ITU-T E.164), and at most an extension. For a pattern, without anchors. */
export const PHONE_NUMBER = `\\+[1-9](?:${SEPARATOR}[0-9]){6,14}(?:${EXTENSION})?`;
