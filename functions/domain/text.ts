/**
 * What no stored text may contain, as a part of a character class, like the two below: NUL, unpaired surrogates (UTF-8
 * cannot represent them), and what a wrong encoding leaves (U+0080 to U+009F, and U+FFFD in place of undecodable bytes).
 */
export const UNSTORABLE = '\\u0000\\u0080-\\u009f\\ufffd\\ud800-\\udfff';
/**
 * Control characters, white space, format characters and default ignorable code points below U+10000. Variation
 * selectors are not among them, because they belong to the character before them.
 */
export const INVISIBLE =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180e' +
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb';
export const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** In place of `$`, which in some languages also matches at the end of a line. */
export const END = '(?![\\s\\S])';

/** Pattern of a text that is not empty, is visible at both ends and has no `excluded` characters. */
export const visible = (excluded = '') =>
  `^(?![${INVISIBLE}])[^${UNSTORABLE}${excluded}]+(?<![${INVISIBLE}])${END}`;
export const ENDS_RULE = 'without spaces or invisible characters at its ends';
