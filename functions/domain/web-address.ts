/** Patterns in JSON Schema cannot ignore case. */
export const HTTP = '[Hh][Tt][Tt][Pp][Ss]?://';

export const HIDDEN = '\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}\\ufffd';
/**
 * Refuses two addresses in one text, such as `https://a.example,https://b.example`. A second address may follow only
 * after `/`, `=`, `?`, `&`, `#` or `:`, as in a path or a query.
 */
export const ONE_ADDRESS = `(?![\\s\\S]+[^/=?&#:]${HTTP})`;

const NOT_HOST = `${HIDDEN}/?#@\\\\`;
/**
 * Requires a host: URL parsers read `https:///cv.pdf` as the host `cv.pdf`, and `https://https://a.example` as the host
 * `https` with an empty port. Refuses `@` before the path: the user name before it would look like a host.
 */
export const WEB_ADDRESS = `^${ONE_ADDRESS}${HTTP}[^${NOT_HOST}]*[^${NOT_HOST}:](?:[/?#][^${HIDDEN}]*)?$`;

/** One label of a host name: ASCII letters and digits, `-`, `_`, and anything visible beyond ASCII. */
const LABEL = `[^${HIDDEN}!-,./:-@\\[-\\^\`{-~]+`;
/** Host with a dot, then a path. A scheme may precede them, but is not part of the profile. */
export const PROFILE = `^${ONE_ADDRESS}(?:${HTTP})?((?:${LABEL}\\.)+(?![0-9])${LABEL}/[^${HIDDEN}?#\\\\]*)$`;

// These two match nearly all stored values, and the patterns above take milliseconds to build.
const PLAIN_ADDRESS = /^https?:\/\/[a-z\d.-]+(?:[/?#][\w./?#=&%+~-]*)?$/i;
const PLAIN_PROFILE = /^(?:[a-z\d-]+\.)+[a-z][a-z\d-]*\/[\w./%~+-]*$/i;
let webAddress: RegExp | undefined;
let profile: RegExp | undefined;

export function isWebAddress(value: string): boolean {
  if (PLAIN_ADDRESS.test(value)) return URL.canParse(value);
  webAddress ??= new RegExp(WEB_ADDRESS, 'u');
  return webAddress.test(value) && URL.canParse(value);
}

export function profileOf(value: string): string | undefined {
  if (PLAIN_PROFILE.test(value)) return value;
  profile ??= new RegExp(PROFILE, 'u');
  return profile.exec(value)?.[1];
}
