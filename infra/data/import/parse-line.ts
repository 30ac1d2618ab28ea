import { isObject, ownValue } from '../../../functions/domain/own-value.ts';
import type { Key } from '../../../functions/store/keys.ts';
import {
  applicationKeyOf,
  ID_NAMES,
  type ParseOptions,
  parseRecord,
  type RecordItem,
} from '../records/records.ts';
import { reasonOf } from '../records/refusal.ts';
import type { RecordMembers } from '../records/storable.ts';
import { hasRepeatedName, parseExactly } from './parse-exactly.ts';

export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';

const REPEATED_NAME =
  'the record, or an object in it, has a member twice: only the last would be stored';

const DYNAMODB_JSON =
  "the line is in DynamoDB's own JSON, as its export to S3 and aws dynamodb scan write it: make the file with npm run " +
  "export. Files of the export to S3 become a table with DynamoDB's import from S3";

const CANDIDATE_EXPORT =
  "the file is a candidate's own export, made for that person: make the file to import with npm run export";

const CONVERT_JSON = "convert another system's with DuckDB, as docs/recipes/greenhouse.sql shows";
const CONNECTOR = `the line is a message of Airbyte or Singer around a record: ${CONVERT_JSON}`;
const ENVELOPE = `the line is an envelope around records, such as a page of an API: put each on a line of its own, such as with jq -c '.data[]' FILE, and ${CONVERT_JSON}`;

/** Faults of a whole file, not of one line. */
export const UNREADABLE: readonly string[] = [
  NOT_JSON,
  DYNAMODB_JSON,
  CANDIDATE_EXPORT,
  CONNECTOR,
  ENVELOPE,
];

const CONVERT_TABLE = 'convert it with DuckDB, as docs/recipes/spreadsheet.sql shows';
/** Matched against the beginning of the first lines, decoded as latin1. */
const OTHER_FORMATS: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0{3}|\0{3}[^\0])/,
    'the file is in UTF-32: convert it, such as with iconv -f UTF-32 -t UTF-8 FILE',
  ],
  [
    /^(?:\xff\xfe|\xfe\xff|[^\0]\0|\0[^\0])/,
    'the file is in UTF-16: convert it, such as with iconv -f UTF-16 -t UTF-8 FILE',
  ],
  [
    // Zip, which has two control characters after `PK`, or Excel 97.
    /^(?:PK[^ -\xff]{2}|\xd0\xcf)/,
    `the file is a spreadsheet, or a zip file: save it as CSV in UTF-8, and ${CONVERT_TABLE}`,
  ],
  [
    /^(?:BZh\d|\xfd7zXZ\0|\x28\xb5\x2f\xfd)/,
    'the file is compressed with bzip2, xz or zstd: decompress it first (only gzip is read as it is)',
  ],
  [/^PAR1/, `the file is Parquet: ${CONVERT_TABLE}, with read_parquet in place of read_csv`],
  [
    /^\s*</,
    'the file is XML or HTML: convert it to CSV or JSON, and then with DuckDB (docs/recipes)',
  ],
  [/^\s*\{\s*"tenant":[^{]*"candidate_id":[^{]*"exported_at":/, CANDIDATE_EXPORT],
  [
    /^\s*\[/,
    "the file is a JSON array: put each record on a line of its own, such as with jq -c '.[]' FILE",
  ],
  [
    // If the first line has a closing brace, it is probably a whole record with another fault, such as its encoding.
    /^\s*\{(?:\s*\n|[^}\n]*(?:\[\s*\n|\n\s*"))/,
    'the file is JSON, but not JSON lines: put each record on one line, such as with jq -c . FILE',
  ],
  [/^[\t -z|-\xff]*[,;\t]/, `the file looks like CSV: ${CONVERT_TABLE}`],
];

const SNIFFED_LINES = 5;
const SNIFFED_BYTES = 1024;

/** @param lines the file's, from the first that is not blank. */
export function otherFormatOf(lines: readonly Buffer[]): string | undefined {
  const start = lines
    .slice(0, SNIFFED_LINES)
    .map((line) => `${line.subarray(0, SNIFFED_BYTES).toString('latin1')}\n`)
    .join('')
    .replace(/^\xef\xbb\xbf/, '');
  return OTHER_FORMATS.find(([pattern]) => pattern.test(start))?.[1];
}

// Skips byte order marks: in concatenated files, any line may begin with one.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @returns undefined for a blank line. `reason` never quotes the line's values. */
export function parseLine(
  line: Uint8Array,
  options: ParseOptions = {},
): RecordItem | { reason: string } | undefined {
  const { text, value } = parseJson(line);
  if (value === undefined) return undefined;
  if (!isObject(value)) return { reason: NOT_JSON };
  const reason = foreignReason(value);
  if (reason) return { reason };
  const parsed = parseRecord(value, options);
  if ('faults' in parsed) return { reason: reasonOf(parsed) };
  return hasRepeatedName(text, value) ? { reason: REPEATED_NAME } : parsed;
}

/** Type and ids of a refused line, even if invalid. */
export function readIds(line: Uint8Array | undefined): RecordMembers {
  const { value } = parseJson(line);
  if (!isObject(value)) return {};
  return Object.fromEntries(
    ['type', ...ID_NAMES]
      .map((name) => [name, ownValue(value, name)])
      .filter(([, id]) => typeof id === 'string' || typeof id === 'number'),
  );
}

/** Key of the application in a refused line; undefined if its ids are invalid or occur twice. */
export function readApplicationKey(line: Uint8Array | undefined): Key | undefined {
  const { text, value } = parseJson(line);
  if (!isObject(value)) return undefined;
  return hasRepeatedName(text, value) ? undefined : applicationKeyOf(value);
}

const ENVELOPES = /^(?:data|items|records|results|value|jobs|candidates|applications)$/;

function foreignReason(value: RecordMembers): string | undefined {
  const { Item, Items, pk, type, record, exported_at } = value;
  if (isObject(Item) || Array.isArray(Items) || isObject(pk)) return DYNAMODB_JSON;
  const isMessage = isObject(record) || type === 'SCHEMA' || type === 'STATE';
  if (isMessage || '_airbyte_data' in value) return CONNECTOR;
  if (type !== undefined || !Object.keys(value).some((name) => ENVELOPES.test(name)))
    return undefined;
  return exported_at === undefined ? ENVELOPE : CANDIDATE_EXPORT;
}

/** `value` is undefined if the line is missing or blank, null if it is not JSON in UTF-8. */
function parseJson(line: Uint8Array | undefined): { text: string; value: unknown } {
  try {
    const text = utf8.decode(line);
    return { text, value: text.trim() === '' ? undefined : parseExactly(text) };
  } catch {
    // Drop the parser's error, which quotes the text.
    return { text: '', value: null };
  }
}
