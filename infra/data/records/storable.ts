import type { SchemaObject } from 'ajv';
import {
  AddressableIdentifier,
  isAddressable,
  VISIBLE_IDENTIFIER_RULE,
} from '../../../functions/domain/addressable-identifier.ts';
import { IDENTIFIER_RULE, isIdentifier } from '../../../functions/domain/identifier.ts';
import { isObject } from '../../../functions/domain/own-value.ts';
import { PHONE_NUMBER, UNBALANCED } from '../../../functions/domain/phone-number.ts';
import { REFUSED_NAMES } from '../../../functions/domain/platform-json.ts';
import { parseS3Uri, S3_URI_RULE } from '../../../functions/domain/s3-uri.ts';
import {
  CONTROL,
  END,
  ENDS_RULE,
  INVISIBLE,
  UNSTORABLE,
  visible,
} from '../../../functions/domain/text.ts';
import { isStorable, timestampOf } from '../../../functions/domain/timestamp.ts';
import {
  HIDDEN,
  isWebAddress,
  ONE_ADDRESS,
  profileOf,
} from '../../../functions/domain/web-address.ts';

const MAX_NAME_LENGTH = 255;
const HIDDEN_CHARACTER = new RegExp(`[${HIDDEN}]`, 'u');
const SINGLE = new RegExp(`^${ONE_ADDRESS}`);
const TEXT_RULE =
  'Unicode text without NUL, unpaired surrogates, U+FFFD, or U+0080 to U+009F (the last two are traces of a wrong encoding)';

/** Here and below, `means` is the rule for messages, and `details` adds the rest, for the schema document only. */
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
/** Removals and erasures must reach ids that earlier releases stored, although they are refused now. */
export const removableIdentifier = {
  format: 'identifier',
  pattern: `^[^${CONTROL}\\ud800-\\udfff]+${END}`,
  means: IDENTIFIER_RULE,
};
const VARIATION_SELECTORS = '\\u180b-\\u180f\\ufe00-\\ufe0f';
/** Excluded as a whole: patterns in other languages cannot name just the invisible ones. */
const ABOVE_FFFF = '\u{10000}-\u{10fffd}';
const NOT_CONTACT = `${INVISIBLE}${VARIATION_SELECTORS}\\ufffd\\ud800-\\udfff${ABOVE_FFFF}@<>`;
export const eMail = {
  pattern: `^[^${NOT_CONTACT},;:]+@[^${NOT_CONTACT},;]*[^${NOT_CONTACT},;.]${END}`,
  means: 'one plain address, such as ana@example.com',
  details:
    'It has one @, no scheme, and no dot at its end. It contains no spaces, commas, semicolons, < or >, no invisible characters, none above U+FFFF, and none that a wrong encoding left',
};
export const phoneNumber = {
  pattern: `^(?:${PHONE_NUMBER})?${END}`,
  not: UNBALANCED,
  means:
    'an international number of + and 7 to 15 digits, such as +55 11 5550 0101 or +55 (11) 5550-0101 ext. 12',
  details:
    'Its first digit is not 0, and single spaces, hyphens, dots, slashes or pairs of parentheses may stand between digits',
};
export const profile = {
  format: 'profile',
  means: 'host and path, such as linkedin.example.com/in/ana, without ? or # and what follows',
  details:
    'It contains no \\ or spaces, no invisible characters, and none that a wrong encoding left; https:// before it is cut off',
};
export const storableNumber = {
  format: 'storable-number',
  means:
    '0, or from 1e-130 to 9007199254740991, or the negative of such a number, without digits that a double-precision number loses (15 always fit)',
};
/** Name of one of the platform's own members. DynamoDB does not allow empty names. */
export const platformName = {
  pattern: `^[^${UNSTORABLE}]{1,${MAX_NAME_LENGTH}}${END}`,
  means: `a name of 1 to ${MAX_NAME_LENGTH} characters: ${TEXT_RULE}. Not allowed are ${REFUSED_NAMES.join(', ')}, and a described member's name with other capitals`,
};
export const urlFormat = {
  format: 'web-address',
  means:
    'an https:// or http:// address, such as https://files.example.com/v.mp4, or s3://BUCKET/KEY',
  details: `A URL has a host without a name or password before it, and no empty port. It contains no spaces or invisible characters, and none that a wrong encoding left. An S3 URI is ${S3_URI_RULE}`,
};

/** The first rule that an address without the format breaks. */
export function addressFault(address: string): string {
  if (/^s3:/i.test(address)) return `this one is not ${S3_URI_RULE}`;
  if (HIDDEN_CHARACTER.test(address)) {
    return 'this one has a space, an invisible character or one that a wrong encoding left';
  }
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(address) ?? [];
  if (authority === undefined) return 'this one does not begin with https://, http:// or s3://';
  if (!SINGLE.test(address)) return 'this may be two addresses';
  if (authority.includes('@')) return 'this one has a name or password before its host';
  if (authority.endsWith(':')) return 'this one has an empty port';
  return 'this one has no valid host or port';
}
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
const COLLECTION_BYTES = 3;
const ENTRY_BYTES = 1;

/** DynamoDB, "Service, account, and table quotas". */
export const MAX_ITEM_BYTES = 400 * 1024;

/** `text` must already match the contract's `PartialDate` pattern. */
export const isPartialDate = (text: string) =>
  isStorable(`${text.padEnd('YYYY-MM-DD'.length, '-01')}T00:00:00.000Z`);

/** The SDK throws for numbers beyond 2^53 - 1. */
export function isStorableNumber(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= SMALLEST_NUMBER && size <= Number.MAX_SAFE_INTEGER);
}

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
  [storableNumber.format]: { type: 'number', validate: isStorableNumber },
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

/**
 * Counts like DynamoDB ("DynamoDB item sizes and formats"), but may count a byte too many for a number. Stops above
 * `limit`, and does not recurse: a record may be nested to any depth, or contain itself.
 */
export function itemBytes(item: RecordMembers, limit = Number.POSITIVE_INFINITY): number {
  const pending: unknown[] = Object.values(item);
  let bytes = nameBytes(item);
  while (pending.length > 0 && bytes <= limit) {
    const value = pending.pop();
    if (Array.isArray(value)) {
      bytes += COLLECTION_BYTES + ENTRY_BYTES * value.length;
      // A sparse list may have more entries than fit into memory.
      if (bytes <= limit) for (const entry of value) pending.push(entry);
    } else if (isObject(value)) {
      const members = Object.values(value);
      bytes += COLLECTION_BYTES + ENTRY_BYTES * members.length + nameBytes(value);
      for (const member of members) pending.push(member);
    } else {
      bytes += scalarBytes(value);
    }
  }
  return bytes;
}

const nameBytes = (members: RecordMembers) =>
  Object.keys(members).reduce((sum, name) => sum + Buffer.byteLength(name), 0);

function scalarBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return typeof value === 'number' ? numberBytes(value) : 1;
}

/** A byte for a minus sign, one for each pair of digits (the first pair may be a single digit), and one more. */
function numberBytes(value: number): number {
  const [mantissa = ''] = String(value).split('e');
  const digits = mantissa.replace(/^-?0*\.?0*|\.|0+$/g, '').length;
  return (value < 0 ? 1 : 0) + Math.ceil((digits + 1) / 2) + 1;
}
