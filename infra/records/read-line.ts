import { isObject } from '../../functions/domain/own-value.ts';
import { reasonOf } from './faults.ts';
import { parseExactly } from './parse-exactly.ts';
import { type ReadOptions, readRecord, type StoredRecord } from './records.ts';
import type { RecordMembers } from './storable.ts';

export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';

export const DYNAMODB_JSON =
  "the line is in DynamoDB's own JSON, as its export to S3 and aws dynamodb scan write it: make the file with npm run " +
  "export. Files of the export to S3 become a table with DynamoDB's import from S3";

const CONVERT_TABLE = 'convert it with DuckDB, as docs/recipes/spreadsheet.sql shows';
/** Matched with the beginning of the file's first line, decoded as latin1. */
const OTHER_FORMATS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:\xff\xfe|\xfe\xff)/,
    'the file is in UTF-16: convert it, such as with iconv -f UTF-16 -t UTF-8 FILE',
  ],
  [
    // Zip, which has two control characters after `PK`, or Excel 97.
    /^(?:PK[^ -\xff]{2}|\xd0\xcf)/,
    `the file is a spreadsheet, or a zip file: save it as CSV in UTF-8, and ${CONVERT_TABLE}`,
  ],
  [
    /^\s*\[/,
    "the file is a JSON array: put each record on a line of its own, such as with jq -c '.[]' FILE",
  ],
  [
    // A first line with a closing brace is probably a whole record, whose fault is something else, such as the
    // encoding.
    /^\s*\{[^}]*$/,
    'the file is JSON, but not JSON lines: put each record on one line, such as with jq -c . FILE',
  ],
  [/^[^{]*[,;\t]/, `the file looks like CSV: ${CONVERT_TABLE}`],
];

const TELLING_BYTES = 1024;

export function otherFormatOf(line: Buffer): string | undefined {
  const start = line
    .subarray(0, TELLING_BYTES)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  return OTHER_FORMATS.find(([pattern]) => pattern.test(start))?.[1];
}

// Skips a byte order mark, with which any line may begin if files were concatenated.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @returns undefined for a blank line. `reason` quotes no value of the line. */
export function readLine(
  line: Uint8Array,
  options: ReadOptions = {},
): StoredRecord | { reason: string } | undefined {
  const value = parse(line);
  if (value === undefined) return undefined;
  if (!isObject(value)) return { reason: NOT_JSON };
  if (isDynamoDbJson(value)) return { reason: DYNAMODB_JSON };
  const read = readRecord(value, options);
  return 'faults' in read ? { reason: reasonOf(read) } : read;
}

const isDynamoDbJson = ({ Item, Items, pk }: RecordMembers) =>
  isObject(Item) || Array.isArray(Items) || isObject(pk);

/** Undefined if the line is blank, null if it is not JSON in UTF-8. */
function parse(line: Uint8Array): unknown {
  try {
    const text = utf8.decode(line);
    return text.trim() === '' ? undefined : parseExactly(text);
  } catch {
    // Without the parser's error, which quotes the text.
    return null;
  }
}
