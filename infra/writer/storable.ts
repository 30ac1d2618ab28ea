import { IDENTIFIER_RULE, isIdentifier } from '../../functions/domain/identifier.ts';
import { isRecord } from '../../functions/domain/record.ts';
import { parseS3Uri, S3_URI_RULE } from '../../functions/domain/s3-uri.ts';
import { isTimestamp } from '../../functions/domain/timestamp.ts';

/**
 * What no text of a record may have: NUL; U+FFFD, which programs write for bytes that they cannot decode; and
 * unpaired surrogates, which have no UTF-8. For a class of characters in a pattern.
 */
const UNSTORABLE = '\\u0000\\ufffd\\ud800-\\udfff';
/**
 * Characters that an id or a name may not begin or end with, because nobody sees them there: control characters, the
 * white space of Unicode, and its format characters and default ignorable code points below U+10000. Variation selectors belong
 * to the character before them.
 */
const INVISIBLE =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180e' +
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb';
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
/** The end of the text. Some languages take `$` for the end of a line too. */
export const END = '(?![\\s\\S])';

/** The pattern of a text that is not empty, without `excluded`, and visible at both ends. */
const visible = (excluded = '') =>
  `^(?![${INVISIBLE}])[^${UNSTORABLE}${excluded}]+(?<![${INVISIBLE}])${END}`;

const TEXT_RULE =
  'Unicode text without NUL, unpaired surrogates, and U+FFFD, which a wrong encoding leaves behind';
const ENDS_RULE = 'without spaces or invisible characters at its ends';

/** Text that DynamoDB can store. `means` says in words what a member must be. */
export const storableText = { pattern: `^[^${UNSTORABLE}]*${END}`, means: TEXT_RULE };
/** Such text that the contract never leaves empty. */
export const visibleText = {
  pattern: visible(),
  means: `${TEXT_RULE}, not empty, and ${ENDS_RULE}`,
};
/** An identifier. JSON Schema counts characters, so the format counts the bytes. */
export const storableIdentifier = {
  format: 'identifier',
  pattern: visible(CONTROL),
  means: `${IDENTIFIER_RULE}, and ${ENDS_RULE}`,
};
/**
 * An identifier that a request can name. An HTTP API decodes the path before it finds the route, so an encoded `/` separates
 * segments too, and clients resolve the steps `.` and `..`, also if they are encoded.
 */
export const addressableIdentifier = {
  ...storableIdentifier,
  pattern: `^(?!\\.{1,2}${END})${visible(`${CONTROL}/?`).slice(1)}`,
  means: `${IDENTIFIER_RULE}, without / or ?, ${ENDS_RULE}, and not . or .., which a path cannot contain`,
};
const NOT_MAIL = `${INVISIBLE}\\ufffd\\ud800-\\udfff@<>,;`;
/** One address for mail, and not `Name <address>` or a list. */
export const eMail = {
  pattern: `^[^${NOT_MAIL}]+@[^${NOT_MAIL}]+${END}`,
  means: 'one e-mail address, with @ between two texts without spaces, <, >, commas and semicolons',
};
/** A number that DynamoDB can store. */
export const storableNumber = {
  format: 'storable-number',
  means: '0, or from 1e-130 to 9007199254740991, or the negative of such a number',
};
/** An address that a client may put into a page, or gets a presigned URL for. */
export const webAddress = {
  format: 'web-address',
  means: `an address that begins with https:// or http://, or ${S3_URI_RULE}`,
};
/** A date and time that is stored as the contract's timestamp. */
export const instant = {
  format: 'instant',
  means: 'a date and time with its offset from UTC, such as 2026-09-14T12:30:45.123Z',
};

/** The smallest magnitude of a number other than zero (DynamoDB, "Naming rules and data types"). */
export const SMALLEST_NUMBER = 1e-130;
/** The most bytes of a number: one for two of its 38 digits, one more, and one for the sign. */
const NUMBER_BYTES = 21;
/** The bytes of a list or a map besides its entries, and those for each entry. */
const COLLECTION_BYTES = 3;
const ENTRY_BYTES = 1;

/** The largest item: 400 KB (DynamoDB, "Service, account, and table quotas"). */
export const MAX_ITEM_BYTES = 400 * 1024;

/** RFC 3339, section 5.6; also with a space for the `T`, and with an offset without colon or minutes. */
export const INSTANT =
  '^(\\d{4}-\\d{2}-\\d{2})[Tt ]((?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?)' +
  '(?:[Zz]|([+-](?:[01]\\d|2[0-3]))(?::?([0-5]\\d))?)$';
const instantPattern = new RegExp(INSTANT);

/**
 * Returns a date and time as the timestamp of the contract: in UTC, with milliseconds. Further digits are cut off.
 * @returns undefined if it is none, or of a year before 0 or after 9999.
 */
export function timestampOf(text: string): string | undefined {
  // Nearly all times have this form already.
  if (isTimestamp(text)) return text;
  const [, day = '', time, hours, minutes = '00'] = instantPattern.exec(text) ?? [];
  if (!isTimestamp(`${day}T00:00:00.000Z`)) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const timestamp = new Date(`${day}T${time}${offset}`).toJSON() ?? '';
  return isTimestamp(timestamp) ? timestamp : undefined;
}

/** What the formats of the records' schemas check. DynamoDB would reject a whole batch because of one value. */
export const formats = {
  [storableIdentifier.format]: isIdentifier,
  [instant.format]: (value: string) => timestampOf(value) !== undefined,
  // Another scheme, such as javascript:, would be a script in the page of a client.
  [webAddress.format]: (value: string) =>
    (/^https?:\/\/[^\ufffd]*$/i.test(value) && URL.canParse(value) && value.isWellFormed()) ||
    (parseS3Uri(value) !== undefined && !value.includes('\ufffd')),
  [storableNumber.format]: {
    type: 'number',
    validate: (value: number) =>
      value === 0 ||
      // Beyond 2^53 - 1, the SDK throws.
      (Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= Number.MAX_SAFE_INTEGER),
  },
} as const;

type Members = Readonly<Record<string, unknown>>;

/** Deeper than any record. What is deeper is refused, whatever its size. */
const MOST_LEVELS = 9;

/**
 * Counts the bytes of an item as DynamoDB does, or a little more: names and text in UTF-8, the overhead
 * of lists and maps ("DynamoDB item sizes and formats"), and the most bytes for every number. A member that is null is not
 * stored. Of what is not a record, the count stops at some depth.
 */
export function itemBytes(item: Members): number {
  return memberBytes(item, 0, MOST_LEVELS);
}

function memberBytes(members: Members, overhead: number, levels: number): number {
  let sum = 0;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== null) sum += overhead + Buffer.byteLength(name) + valueBytes(value, levels);
  }
  return sum;
}

function valueBytes(value: unknown, levels: number): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return NUMBER_BYTES;
  if (levels === 0) return 1;
  if (isRecord(value)) return COLLECTION_BYTES + memberBytes(value, ENTRY_BYTES, levels - 1);
  if (!Array.isArray(value)) return 1;
  let sum = COLLECTION_BYTES;
  for (const entry of value) sum += ENTRY_BYTES + valueBytes(entry, levels - 1);
  return sum;
}
