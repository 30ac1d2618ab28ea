import {
  AddressableIdentifier,
  isAddressable,
} from '../../functions/domain/addressable-identifier.ts';
import { IDENTIFIER_RULE, isIdentifier } from '../../functions/domain/identifier.ts';
import { isObject } from '../../functions/domain/own-value.ts';
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

const TEXT_RULE =
  'Unicode text without NUL, unpaired surrogates, and U+FFFD, which a wrong encoding leaves behind';

/** In this and the following schemas, `means` is the rule in words. */
export const storableText = { pattern: `^[^${UNSTORABLE}]*${END}`, means: TEXT_RULE };
export const visibleText = {
  pattern: visible(),
  means: `${TEXT_RULE}, not empty, and ${ENDS_RULE}`,
};
/** An identifier of a tenant. */
export const storableIdentifier = {
  format: 'identifier',
  pattern: visible(CONTROL),
  means: `${IDENTIFIER_RULE}, and ${ENDS_RULE}`,
};
const NOT_MAIL = `${INVISIBLE}\\ufffd\\ud800-\\udfff@<>,;`;
export const eMail = {
  pattern: `^[^${NOT_MAIL}]+@[^${NOT_MAIL}]+${END}`,
  means: 'one e-mail address, with @ between two texts without spaces, <, >, commas and semicolons',
};
export const storableNumber = {
  format: 'storable-number',
  means: '0, or from 1e-130 to 9007199254740991, or the negative of such a number',
};
export const urlFormat = {
  format: 'web-address',
  means: `an address that begins with https:// or http://, or ${S3_URI_RULE}`,
};
export const instant = {
  format: 'instant',
  means: 'a date and time with its offset from UTC, such as 2026-09-14T12:30:45.123Z',
};

/** Magnitude (DynamoDB, "Naming rules and data types"). */
export const SMALLEST_NUMBER = 1e-130;
/** At most: 19 for 38 digits, one for the sign, and one that every number has. */
const NUMBER_BYTES = 21;
/** Overhead of a list or a map. */
const COLLECTION_BYTES = 3;
/** Overhead of an entry of a list or a map. */
const ENTRY_BYTES = 1;

/** DynamoDB, "Service, account, and table quotas". */
export const MAX_ITEM_BYTES = 400 * 1024;

/** RFC 3339, section 5.6, and also a space in place of `T`, and an offset without a colon or minutes. */
export const INSTANT =
  '^(\\d{4}-\\d{2}-\\d{2})[Tt ]((?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?)' +
  '(?:[Zz]|([+-](?:[01]\\d|2[0-3]))(?::?([0-5]\\d))?)$';
const instantPattern = new RegExp(INSTANT);

/** Whether a timestamp is of the years 0001 to 9999, which the libraries of all languages support. */
const isStorable = (text: string) => isTimestamp(text) && !text.startsWith('0000');

/**
 * Returns a date and time as a timestamp of the contract, in UTC with milliseconds. Digits beyond the milliseconds are
 * cut off.
 * @returns undefined if the text is not a date and time, or if its year in UTC lies outside 0001 to 9999.
 */
export function timestampOf(text: string): string | undefined {
  // Nearly all times already have this format.
  if (isStorable(text)) return text;
  const [, day = '', time, hours, minutes = '00'] = instantPattern.exec(text) ?? [];
  if (!isTimestamp(`${day}T00:00:00.000Z`)) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const timestamp = new Date(`${day}T${time}${offset}`).toJSON() ?? '';
  return isStorable(timestamp) ? timestamp : undefined;
}

/** One invalid value would make DynamoDB reject a whole batch. */
export const recordFormats = {
  [storableIdentifier.format]: isIdentifier,
  [AddressableIdentifier.format]: isAddressable,
  [instant.format]: (value: string) => timestampOf(value) !== undefined,
  // With another scheme, such as javascript:, the URL could run a script in a client's page.
  [urlFormat.format]: (value: string) =>
    (/^https?:\/\/[^\ufffd]*$/i.test(value) && URL.canParse(value) && value.isWellFormed()) ||
    (parseS3Uri(value) !== undefined && !value.includes('\ufffd')),
  [storableNumber.format]: {
    type: 'number',
    validate: (value: number) =>
      value === 0 ||
      // The SDK throws for numbers beyond 2^53 - 1.
      (Math.abs(value) >= SMALLEST_NUMBER && Math.abs(value) <= Number.MAX_SAFE_INTEGER),
  },
} as const;

type RecordMembers = Readonly<Record<string, unknown>>;

/** Valid records are never this deep, and deeper ones are refused anyway. */
const MAX_LEVELS = 9;

/**
 * Returns the size of an item in bytes, as DynamoDB counts it ("DynamoDB item sizes and formats"), or a little more,
 * because each number counts with its maximum. Null counts nothing, because it is not stored.
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
