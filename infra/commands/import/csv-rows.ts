import { CsvError, parse } from 'csv-parse';
import { isObject } from '../../../functions/domain/object.ts';
import type { Columns } from './csv-columns.ts';
import { MAX_LINE_BYTES } from './lines.ts';

/** A row of a CSV file. */
export interface Row {
  record: string[];
  /** The text of the row, exactly as in the file. */
  raw: string;
}

/** Returns whether a value is a row. The parser's types lack `raw`. */
const isRow = (value: unknown): value is Row =>
  isObject(value) && Array.isArray(value.record) && typeof value.raw === 'string';

/** The byte order marks, by encoding (WHATWG Encoding Standard, "BOM sniff"). */
const MARKS: [encoding: string, ...bytes: number[]][] = [
  ['utf-8', 0xef, 0xbb, 0xbf],
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
];
const ANOTHER_ENCODING =
  'Add the encoding to the columns file, such as "encoding": "windows-1252", or convert the file: ' +
  'iconv -f WINDOWS-1252 -t UTF-8 FILE.csv > utf-8.csv';

const NO_QUOTES =
  'If the file has no field in quotation marks, write "quotes": false in the columns file.';

/** Parses a CSV file into rows. The first row is the header. */
export async function* rowsOf(
  input: AsyncIterable<Buffer> | Iterable<Buffer>,
  { delimiter, quotes = true, encoding = 'utf-8' }: Columns,
): AsyncGenerator<Row> {
  let rows: unknown[] = [];
  let count = 0;
  const parser = parse({
    delimiter,
    quote: quotes ? '"' : null,
    escape: quotes ? '"' : null,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
    raw: true,
    // Collect the rows here. After an error, the parser's stream would drop rows that were parsed before the error.
    on_record: (row) => {
      rows.push(row);
      return null;
    },
  });
  let failure: Error | undefined;
  parser.on('error', (error) => {
    failure = error;
  });
  parser.resume();
  const taken = async function* (isUndecodable: boolean) {
    const parsed = rows.filter(isRow);
    rows = [];
    for (const row of parsed) {
      if (isUndecodable && row.raw.includes('\ufffd')) {
        throw new Error(`Row ${count + 1} has bytes that are not ${encoding}. ${ANOTHER_ENCODING}`);
      }
      count += 1;
      yield row;
    }
    if (failure) throw explained(failure, count + 1);
  };
  let isUndecodable = false;
  for await (const piece of decoded(input, encoding)) {
    isUndecodable ||= piece.isUndecodable;
    await new Promise((resolve) => parser.write(piece.text, resolve));
    yield* taken(isUndecodable);
  }
  await new Promise<void>((resolve) => parser.end(() => resolve()));
  yield* taken(isUndecodable);
}

/** Returns an error that says what to do about a row. The parser's own message may quote the row. */
function explained(error: Error, row: number): Error {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new Error(
      `Row ${row} is longer than ${MAX_LINE_BYTES} characters. A closing quotation mark may be missing. ${NO_QUOTES}`,
    );
  }
  return new Error(
    `Row ${row} has a misplaced quotation mark, and the import could misread later rows. Write a field that ` +
      `contains " like this: "Jo ""Bo"" Doe". ${NO_QUOTES}`,
  );
}

/** The encodings in which any bytes are valid, including the bytes of UTF-8. */
const ANY_BYTES = /^(windows|iso)-/;

/**
 * Decodes a stream. A byte order mark overrides `encoding`. `isUndecodable` says whether a piece has bytes that are
 * invalid in the encoding.
 * @throws Error if the stream is UTF-8, but `encoding` accepts any bytes and would misread the text.
 */
async function* decoded(
  input: AsyncIterable<Buffer> | Iterable<Buffer>,
  encoding: string,
): AsyncGenerator<{ text: string; isUndecodable: boolean }> {
  let decoders: ReturnType<typeof decodersOf> | undefined;
  let head = Buffer.alloc(0);
  const { strict: utf8 } = decodersOf('utf-8');
  let maybeUtf8 = ANY_BYTES.test(encoding);
  const decode = (bytes: Buffer, isLast: boolean) => {
    decoders ??= decodersOf(encodingOf(bytes) ?? encoding);
    const stream = !isLast;
    if (maybeUtf8 && decoders.strict.encoding === encoding) {
      const text = textOf(utf8, bytes, stream);
      maybeUtf8 = text !== undefined;
      if (text && /[^\0-\x7f]/.test(text)) {
        throw new Error(
          `The file is UTF-8, not ${encoding}. Write "encoding": "utf-8" in the columns file.`,
        );
      }
    }
    const isUndecodable = textOf(decoders.strict, bytes, stream) === undefined;
    return { text: decoders.lenient.decode(bytes, { stream }), isUndecodable };
  };
  for await (const chunk of input) {
    head = Buffer.concat([head, chunk]);
    // Wait for three bytes, the maximum length of a byte order mark, before choosing the decoder.
    if (head.length < 3) continue;
    yield decode(head, false);
    head = Buffer.alloc(0);
  }
  yield decode(head, true);
}

const decodersOf = (encoding: string) => ({
  lenient: new TextDecoder(encoding),
  strict: new TextDecoder(encoding, { fatal: true }),
});

/** Returns the encoding of a file's byte order mark; undefined if the file has no such mark. */
export const encodingOf = (bytes: Buffer): string | undefined =>
  MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];

/** Returns whether bytes are UTF-8. The last character may be cut off. */
export const isUtf8 = (bytes: Buffer) =>
  textOf(decodersOf('utf-8').strict, bytes, true) !== undefined;

/** Returns the text of bytes, or undefined if the bytes are invalid in the decoder's encoding. */
function textOf(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  stream: boolean,
): string | undefined {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    return undefined;
  }
}
