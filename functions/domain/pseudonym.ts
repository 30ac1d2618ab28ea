import { hash } from 'node:crypto';

const HASH_DIGITS = 16;
/** Printable ASCII without percent signs and ampersands, which has one spelling only. */
const PLAIN = /^[ -$'-~]*$/;
/** Bytes that are percent-encoded. */
const ENCODED = /(?:%[\da-f]{2})+/gi;
/** Character references of HTML: `&#64;`, `&#x40;`, `&commat;`, `&plus;`. */
const ENTITY = /&(?:#0*(\d{1,6})|#x0*([\da-f]{1,5})|(commat)|plus);?/gi;
/** Invisible characters, such as those of zero width and of direction, and combining marks. */
const INVISIBLE = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]/gu;
/** Dashes of all kinds, the minus sign and the Katakana mark that stands for one. */
const DASH = /[\p{Pd}\u2212\u30fc]/gu;
const DIGIT = /\p{Nd}/u;

/** In English, and as Portuguese, Spanish, French and German have it. */
const LABEL =
  '(?:(?:t[eé]l|t[eé]l[eé]fon[eo]?|telephone|phone|fax|mobile|mob|cell|celular|mobil)[\\s.:]*)';
const SEPARATOR = '[\\s().\\-/·_]';
/** Or a note such as `(home)`. */
const EXTENSION = '(?:[\\s,;]*(?:(?:ext|extension|x|#)[\\s.:=]*\\d{1,6}|\\([a-z]+\\)))?';
const NUMBER = `(?:${SEPARATOR}*\\d){7,15}${SEPARATOR}*${EXTENSION}$`;
/** With a plus anywhere, or as the whole id with 00; no country's code begins with 0. */
const INTERNATIONAL = new RegExp(
  `\\+(?:${SEPARATOR}*\\d){7}|^\\s*${LABEL}?00(?=${SEPARATOR}*[1-9])${NUMBER}`,
  'i',
);
/** As the whole id: after a label, or with a separator between digits or before an extension. */
const NATIONAL = new RegExp(
  `^\\s*(?:${LABEL}|(?=.*\\d(?:${SEPARATOR}+\\d|[\\s,;]+[a-z#(])|.*\\(\\d))${NUMBER}`,
  'i',
);
const DATE = /^(?:\d{4}([-./])(?:0?\d|1[0-2])\1[0-3]?\d|[0-3]?\d([-./])[0-3]?\d\2\d{4})$/;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
/** With or without a prefix length. */
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}(?:/\\d{1,2})?$`);

/**
 * An identifier as the log and the events may hold it. One that is an e-mail address or a telephone
 * number is written as the beginning of its SHA-256, `sha256:<16 hexadecimal digits>`: someone
 * who knows the identifier can still find it, but cannot read it there.
 *
 * A telephone number is 7 to 15 digits, which may have spaces, dots, slashes, hyphens, underscores and
 * parentheses between them: after a plus, anywhere in the id; after 00 or a word such as `Tel.`, as the
 * whole id; or as the whole id, if something is between the digits. An extension or a note such as
 * `(home)` may follow. Digits alone are an id such as 4007, and dates and IPv4 addresses are not
 * telephone numbers. Other ids that look like one are hashed too.
 */
export function pseudonym(identifier: string): string {
  return isContact(normalized(identifier))
    ? `sha256:${hash('sha256', identifier).slice(0, HASH_DIGITS)}`
    : identifier;
}

function isContact(spelled: string): boolean {
  if (spelled.includes('@') || INTERNATIONAL.test(spelled)) return true;
  return NATIONAL.test(spelled) && !DATE.test(spelled) && !IPV4.test(spelled);
}

/** One spelling for all that look alike: percent-encoded, full-width, with other dashes and digits. */
function normalized(identifier: string): string {
  // To compile the expressions for all of Unicode would take half of a cold start's first request.
  if (PLAIN.test(identifier)) return identifier.trim();
  let text = identifier;
  let before: string;
  do {
    before = text;
    text = text
      .replace(ENCODED, (bytes) => String(Buffer.from(bytes.replaceAll('%', ''), 'hex')))
      .replace(ENTITY, characterOf)
      .normalize('NFKC')
      .replace(INVISIBLE, '');
  } while (text !== before);
  return text
    .replace(DASH, '-')
    .replace(/(?!\d)\p{Nd}/gu, asciiDigit)
    .trim();
}

function characterOf(_: string, decimal?: string, hexadecimal?: string, at?: string): string {
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
  if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
  return at === undefined ? '+' : '@';
}

/** The value of a decimal digit: the digits of a script follow one another in tens, from zero on. */
function asciiDigit(digit: string): string {
  const code = Number(digit.codePointAt(0));
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}
