import { IDENTIFIER_RULE, isIdentifier } from '../../functions/domain/identifier.ts';
import { parseS3Uri, S3_URI_RULE } from '../../functions/domain/s3-uri.ts';

/** An identifier that a request can name: what it must be, by a format of its own and in words. */
export const addressable = {
  format: 'addressable-identifier',
  means: `${IDENTIFIER_RULE}, and without / or ?, which a path cannot contain`,
};
/** Text that DynamoDB can store. */
export const storableText = {
  format: 'storable-text',
  means: 'Unicode text without unpaired surrogates',
};
/** Further rules of such text: what the contract never leaves null, and an address for mail. */
export const notEmpty = { pattern: '\\S', means: `${storableText.means}, and not empty` };
export const eMail = { pattern: '\\S@\\S', means: 'an e-mail address, with @ between two texts' };
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

/** The smallest magnitude of a number other than zero (DynamoDB, "Naming rules and data types"). */
const SMALLEST = 1e-130;
/** The most bytes of a number: one for two of its 38 digits, one more, and one for the sign. */
const NUMBER_BYTES = 21;
/** The bytes of a list or a map besides its entries, and those for each entry. */
const COLLECTION_BYTES = 3;
const ENTRY_BYTES = 1;

/** The largest item: 400 KB (DynamoDB, "Service, account, and table quotas"). */
export const MAX_ITEM_BYTES = 400 * 1024;

/**
 * DynamoDB would reject a whole batch because of one value that it cannot store: an unpaired surrogate has no
 * UTF-8, and beyond 2^53 - 1 the SDK throws. Nor does it help to store what no request can read: an HTTP API
 * decodes the path before it finds the route, so that an encoded `/` separates segments too.
 */
export const storableFormats = {
  [addressable.format]: (value: string) => isIdentifier(value) && !/[/?]/.test(value),
  [storableText.format]: (value: string) => value.isWellFormed(),
  // Another scheme, such as javascript:, would be a script in the page of a client.
  [webAddress.format]: (value: string) =>
    (/^https?:\/\//i.test(value) && URL.canParse(value) && value.isWellFormed()) ||
    parseS3Uri(value) !== undefined,
  [storableNumber.format]: {
    type: 'number',
    validate: (value: number) =>
      value === 0 || (Math.abs(value) >= SMALLEST && Math.abs(value) <= Number.MAX_SAFE_INTEGER),
  },
} as const;

/**
 * The bytes that DynamoDB counts for an item, or a little more: names and text in UTF-8, the overhead
 * of lists and maps ("DynamoDB item sizes and formats"), and the most bytes for every number.
 */
export function itemBytes(item: object): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return 1;
  const entries = Array.isArray(value)
    ? value.reduce((sum, entry) => sum + valueBytes(entry), 0)
    : itemBytes(value);
  return COLLECTION_BYTES + ENTRY_BYTES * Object.keys(value).length + entries;
}
