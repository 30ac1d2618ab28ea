/**
 * Goes into a character class, like `INVISIBLE` and `CONTROL`. Unpaired surrogates cannot be written in UTF-8. U+0080
 * to U+009F and U+FFFD are traces of a wrong encoding.
 */
export const UNSTORABLE = '\\u0000\\u0080-\\u009f\\ufffd\\ud800-\\udfff';
/**
 * Control characters, white space, invisible format characters, default ignorable code points and the empty Braille
 * pattern, below U+10000. Variation selectors are left out, because they belong to the character before them.
 */
export const INVISIBLE =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180e' +
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb';
export const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** In place of `$`, which in some languages also matches before a line break. */
export const END = '(?![\\s\\S])';

/** Text that begins and ends with a visible character, and has no unstorable or `excluded` ones. */
export const visible = (excluded = '') =>
  `^(?![${INVISIBLE}])[^${UNSTORABLE}${excluded}]+(?<![${INVISIBLE}])${END}`;
export const ENDS_RULE = 'without spaces or invisible characters at its ends';
