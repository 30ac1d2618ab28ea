import type { SchemaObject } from 'ajv';
import {
  AddressableIdentifier,
  isAddressable,
  VISIBLE_IDENTIFIER_RULE,
} from '../../functions/domain/addressable-identifier.ts';
import { IDENTIFIER_RULE, isIdentifier } from '../../functions/domain/identifier.ts';
import { isObject } from '../../functions/domain/own-value.ts';
import { PHONE_NUMBER, UNBALANCED } from '../../functions/domain/phone-number.ts';
import { parseS3Uri, S3_URI_RULE } from '../../functions/domain/s3-uri.ts';
import {
  CONTROL,
  END,
  ENDS_RULE,
  INVISIBLE,
  UNSTORABLE,
  visible,
} from '../../functions/domain/text.ts';
import { isTimestamp } from '../../functions/domain/timestamp.ts';
import { isWebAddress, profileOf } from '../../functions/domain/web-address.ts';

const TEXT_RULE =
  'Unicode text without NUL, unpaired surrogates, U+FFFD, or U+0080 to U+009F (the last two are traces of a wrong encoding)';

/** Here and below, `means` is the rule in words. */
export const storableText = { pattern: `^[^${UNSTORABLE}]*${END}`, means: TEXT_RULE };
export const visibleText = {
  pattern: visible(),
  means: `${TEXT_RULE}, not empty, and ${ENDS_RULE}`,
};
export const storableIdentifier = {
  format: 'identifier',
  pattern: visible(CONTROL),
  means: VISIBLE_IDENTIFIER_RULE,
};
/** For the ids of removals and erasures: earlier releases stored ids that are refused now. */
export const removableIdentifier = {
  format: 'identifier',
  pattern: `^[^${CONTROL}\\ud800-\\udfff]+${END}`,
  means: IDENTIFIER_RULE,
};
const VARIATION_SELECTORS = '\\u180b-\\u180f\\ufe00-\\ufe0f';
/**
 * All characters above U+FFFF are excluded, because in other languages a pattern cannot name just the invisible ones.
 */
const ABOVE_FFFF = '\u{10000}-\u{10fffd}';
const NOT_CONTACT = `${INVISIBLE}${VARIATION_SELECTORS}\\ufffd\\ud800-\\udfff${ABOVE_FFFF}@<>`;
export const eMail = {
  pattern: `^[^${NOT_CONTACT},;:]+@[^${NOT_CONTACT},;]*[^${NOT_CONTACT},;.]${END}`,
  means:
    'one address with one @, such as ana@example.com, without a scheme, spaces, commas, semicolons, a dot at its end, <, >, invisible characters, and those above U+FFFF or left by a wrong encoding',
};
export const phoneNumber = {
  pattern: `^(?:${PHONE_NUMBER})?${END}`,
  not: UNBALANCED,
  means:
    'an international number, such as +55 11 5550 0101 or +55 (11) 5550-0101 ext. 12: + and 7 to 15 digits, the first of them not 0, with single spaces, hyphens, dots, slashes or pairs of parentheses between them',
};
export const profile = {
  format: 'profile',
  means:
    'host and path, such as linkedin.example.com/in/ana, without ? or # and what follows, and without \\, spaces, invisible characters, and those that a wrong encoding leaves; https:// before them is cut off',
};
export const storableNumber = {
  format: 'storable-number',
  means:
    '0, or from 1e-130 to 9007199254740991, or the negative of such a number, without digits that a double-precision number loses (15 always fit)',
};
export const urlFormat = {
  format: 'web-address',
  means: `one https:// or http:// address with a host, without a name or password before it, an empty port, spaces, invisible characters, and those that a wrong encoding leaves, or ${S3_URI_RULE}`,
};
export const partialDate = {
  format: 'partial-date',
  means: 'YYYY, YYYY-MM or YYYY-MM-DD, a real date, not in the year 0000',
};
export const instant = {
  format: 'instant',
  means:
    'a date and time with its offset from UTC, on a real date, such as 2026-09-14T12:30:45.123Z',
};

/** Smallest positive number (DynamoDB, "Naming rules and data types"). */
export const SMALLEST_NUMBER = 1e-130;
/** Largest size of a number: 19 bytes for 38 digits, one for the sign, and one that every number has. */
const NUMBER_BYTES = 21;
const COLLECTION_BYTES = 3;
const ENTRY_BYTES = 1;

/** DynamoDB, "Service, account, and table quotas". */
export const MAX_ITEM_BYTES = 400 * 1024;

/** RFC 3339, section 5.6, without leap seconds; also with a space for `T`, or an offset without a colon or minutes. */
export const INSTANT =
  '^(\\d{4}-\\d{2}-\\d{2})[Tt ]((?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?)' +
  '(?:[Zz]|([+-](?:[01]\\d|2[0-3]))(?::?([0-5]\\d))?)$';
const instantPattern = new RegExp(INSTANT);

/** Some languages' date types have no year 0. */
const isStorable = (text: string) => isTimestamp(text) && !text.startsWith('0000');

/**
 * In the contract's format: in UTC, cut off after the milliseconds. Undefined if the text is not a date and time, or if
 * its year in UTC is not within 0001 to 9999.
 */
export function timestampOf(text: string): string | undefined {
  if (isStorable(text)) return text;
  const [, day = '', time, hours, minutes = '00'] = instantPattern.exec(text) ?? [];
  if (!isTimestamp(`${day}T00:00:00.000Z`)) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const timestamp = new Date(`${day}T${time}${offset}`).toJSON() ?? '';
  return isStorable(timestamp) ? timestamp : undefined;
}

/** Of a text with the pattern of the contract's `PartialDate`. */
export const isPartialDate = (text: string) =>
  isStorable(`${text.padEnd('YYYY-MM-DD'.length, '-01')}T00:00:00.000Z`);

/** Strict, because one invalid value would make DynamoDB reject a whole batch. */
export const recordFormats = {
  [storableIdentifier.format]: isIdentifier,
  [AddressableIdentifier.format]: isAddressable,
  [partialDate.format]: isPartialDate,
  [instant.format]: (value: string) => timestampOf(value) !== undefined,
  [profile.format]: (value: string) => value === '' || profileOf(value) !== undefined,
  [urlFormat.format]: (value: string) =>
    value === '' ||
    isWebAddress(value) ||
    (parseS3Uri(value) !== undefined && !value.includes('\ufffd')),
  [storableNumber.format]: {
    type: 'number',
    validate: (value: number) =>
      value === 0 ||
      // The SDK throws for numbers beyond 2^53 - 1.
      (Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= Number.MAX_SAFE_INTEGER),
  },
} as const;

/** An empty text counts as missing here, because spreadsheets leave optional columns empty. */
const mayBeEmpty = ({ format, pattern }: SchemaObject): boolean =>
  format === profile.format || format === urlFormat.format || pattern === phoneNumber.pattern;

export function storedText(text: string, schema: SchemaObject): string | undefined {
  if (text === '' && mayBeEmpty(schema)) return undefined;
  const { format } = schema;
  if (format === instant.format) return timestampOf(text);
  return format === profile.format ? profileOf(text) : text;
}

export type RecordMembers = Readonly<Record<string, unknown>>;

/** Ends the recursion: deeper records are never valid. */
const MAX_LEVELS = 9;

/**
 * As DynamoDB counts ("DynamoDB item sizes and formats"), or a little more, because numbers count with their maximum.
 * Null counts nothing, because it is not stored.
 */
export function itemBytes(item: RecordMembers): number {
  return memberBytes(item, 0, MAX_LEVELS);
}

function memberBytes(members: RecordMembers, overhead: number, levels: number): number {
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
  if (isObject(value)) return COLLECTION_BYTES + memberBytes(value, ENTRY_BYTES, levels - 1);
  if (!Array.isArray(value)) return 1;
  let sum = COLLECTION_BYTES;
  for (const entry of value) sum += ENTRY_BYTES + valueBytes(entry, levels - 1);
  return sum;
}
