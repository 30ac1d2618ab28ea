import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { DateTime } from 'luxon';
import { isRecord } from '../../../functions/domain/record.ts';
import { type Columns, columnsTemplate, DELIMITERS, namesOf } from './csv-columns.ts';
import { type Line, MAX_LINE_BYTES } from './lines.ts';

/** What a parser makes of a row. `raw` is the row as it was written. */
interface Row {
  record: string[];
  raw: string;
}

/** The types of the parser know no rows with `raw`. */
const isRow = (value: unknown): value is Row =>
  isRecord(value) && Array.isArray(value.record) && typeof value.raw === 'string';

const NUMBERS = new Set(['score', 'expires_at']);
/** A double holds any number of so many digits exactly. */
const EXACT_DIGITS = 15;
/** The byte order marks, by encoding (WHATWG Encoding Standard, "BOM sniff"). */
const MARKS: [encoding: string, ...bytes: number[]][] = [
  ['utf-8', 0xef, 0xbb, 0xbf],
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
];
const ANOTHER_ENCODING =
  'Name the file\'s encoding in the file of columns, such as "encoding": "windows-1252", or convert the ' +
  'file: iconv -f WINDOWS-1252 -t UTF-8 FILE.csv > utf-8.csv';

/**
 * Returns what reads a CSV file (RFC 4180) as the lines of an import: a record for each row, the reason why
 * there is none, and a blank line for the header and for blank rows. Lines are thus numbered as a spreadsheet
 * numbers rows. The reader trims white space at both ends of values.
 * @throws Error, by the reader, if the header lacks a column or has it twice, or if later rows could not be
 *   told apart: after bytes of another encoding, or after a misplaced quotation mark.
 */
export const csvLines = (columns: Columns) =>
  async function* lines(input: Readable): AsyncGenerator<Line> {
    let readRow: ((row: Row) => Line) | undefined;
    for await (const row of rowsOf(input, columns)) {
      if (readRow !== undefined) yield readRow(row);
      else {
        readRow = rowReader(columns, row);
        yield BLANK;
      }
    }
  };

const BLANK: Line = { bytes: Buffer.alloc(0) };

/** Returns what reads the rows under a header. */
function rowReader(columns: Columns, first: Row): (row: Row) => Line {
  const recordOf = mappingOf(columns, first.record);
  const { length } = first.record;
  const written = ({ raw }: Row) => raw.replace(/[\r\n]+$/, '');
  const rowsByKey = new Map<string, number>();
  let number = 1;
  // With the mark, a file of refused rows is UTF-8 whatever the file of columns says.
  const header = Buffer.from(`\ufeff${written(first)}`);
  return (row) => {
    const { record: values } = row;
    number += 1;
    if (values.length === 1 && values[0] === '') return BLANK;
    const kept = { source: Buffer.from(written(row)), header };
    if (values.length !== length) {
      return { reason: `the row has ${values.length} fields, and the header ${length}`, ...kept };
    }
    try {
      const record = recordOf(values);
      const { tenant = 'default', job_id: job, user_id: candidate } = record;
      if (job !== undefined && candidate !== undefined) {
        const key = JSON.stringify([tenant, job, candidate]);
        const earlier = rowsByKey.get(key);
        if (earlier !== undefined) {
          const reason = `the row would replace row ${earlier}: it has the same job_id and user_id`;
          return { reason, ...kept };
        }
        rowsByKey.set(key, number);
      }
      return { bytes: Buffer.from(JSON.stringify(record)), ...kept };
    } catch (error) {
      if (error instanceof InvalidValue) return { reason: error.message, ...kept };
      throw error;
    }
  };
}

/** A value of a row is invalid. The message names its field, and never shows the value. */
class InvalidValue extends Error {}

/** Returns what makes a record of a row under this header. */
function mappingOf(columns: Columns, header: readonly string[]) {
  const names = header.map((name) => name.trim());
  const mapped = Object.entries(columns.columns).filter(([, field]) => field !== null);
  const countOf = (column: string) => names.filter((name) => name === column.trim()).length;
  const missing = mapped.map(([column]) => column).filter((column) => countOf(column) === 0);
  if (missing.length > 0) {
    throw new Error(
      `The header has no column ${namesOf(missing)}. It has ${namesOf(names)}. Correct the names and the ` +
        'delimiter in the file of columns.',
    );
  }
  const twice = mapped.map(([column]) => column).filter((column) => countOf(column) > 1);
  if (twice.length > 0) {
    throw new Error(
      `The header has several columns ${namesOf(twice)}. Give each column of the CSV a name of its own.`,
    );
  }
  /** The places of each field's columns. */
  const places = new Map<string, number[]>();
  for (const [column, field] of mapped) {
    if (field === null) continue;
    places.set(field, [...(places.get(field) ?? []), names.indexOf(column.trim())]);
  }
  const read = valueReader(columns);
  return (row: readonly string[]) => {
    const given = [...places].map(([field, at]) => {
      const texts = at.map((place) => row[place]?.trim()).filter(Boolean);
      return [field, read(field, texts.join(' '))] as const;
    });
    const record: Record<string, string | number | undefined> = {
      type: 'application',
      ...columns.constants,
      ...Object.fromEntries(given),
    };
    const { email, user_id: id } = record;
    if (columns.missing_email === 'invalid-address' && email === undefined && id !== undefined) {
      record.email = `${encodeURIComponent(id)}@no-address.invalid`;
    }
    return record;
  };
}

/** Returns what reads the text of a field. An empty text has the field's default, if there is one. */
function valueReader({ defaults, decimal_sign = '.', date_format, time_zone = 'UTC' }: Columns) {
  const number = decimal_sign === ',' ? /^[+-]?\d+(,\d+)?$/ : /^[+-]?\d+(\.\d+)?$/;
  return (field: string, text: string): string | number | undefined => {
    if (text === '') return defaults?.[field];
    if (NUMBERS.has(field)) {
      if (number.test(text) && text.replace(/^[+-]?0*|\D/g, '').length <= EXACT_DIGITS) {
        return Number(text.replace(',', '.'));
      }
      throw new InvalidValue(
        `${field} is not a number of at most ${EXACT_DIGITS} digits with the decimal_sign ${decimal_sign}`,
      );
    }
    if (field !== 'created_at' || date_format === undefined) return text;
    const time = DateTime.fromFormat(text, date_format, { zone: time_zone, locale: 'en' });
    if (time.isValid) return time.toUTC().toISO();
    throw new InvalidValue(`${field} is not a date and time in the form ${date_format}`);
  };
}

/**
 * Returns the template of a file of columns for the CSV file, with the delimiter that gives its header most
 * columns.
 * @throws Error if the header cannot be read, or if a name is missing or appears twice.
 */
export async function templateFor(input: Readable): Promise<Columns> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) {
    chunks.push(chunk);
    if (chunks.length === 4) break;
  }
  const bytes = Buffer.concat(chunks);
  const encoding = encodingOf(bytes) ?? (isUtf8(bytes) ? undefined : 'windows-1252');
  let best: { delimiter: string; header: string[] } | undefined;
  for (const delimiter of DELIMITERS) {
    const header = await headerOf(bytes, { delimiter, ...(encoding && { encoding }), columns: {} });
    if (header.length > (best?.header.length ?? 1)) best = { delimiter, header };
  }
  if (best === undefined) {
    throw new Error(
      'The first row does not have at least two columns, separated by a comma, semicolon, tab or |.',
    );
  }
  const { header, delimiter } = best;
  const twice = header.filter((name, at) => name === '' || header.indexOf(name) !== at);
  if (twice.length > 0) {
    throw new Error(
      `The first row must have a different name for each column. Correct ${namesOf(twice)}.`,
    );
  }
  return columnsTemplate(header, delimiter, encoding === 'utf-8' ? undefined : encoding);
}

async function headerOf(bytes: Buffer, columns: Columns): Promise<string[]> {
  try {
    const { value } = await rowsOf([bytes], columns).next();
    return value ? value.record.map((name: string) => name.trim()) : [];
  } catch {
    // With another delimiter, a quotation mark may stand inside a field.
    return [];
  }
}

/** Parses the rows of a CSV file, the first one included. */
async function* rowsOf(
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
    // The parser's stream would drop the rows before an error.
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

/** Says what to do about a row that the parser cannot read. Its own message may quote the row. */
function explained(error: Error, row: number): Error {
  if (!(error instanceof CsvError)) return error;
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new Error(
      `Row ${row} is longer than ${MAX_LINE_BYTES} characters. Is a quotation mark not closed? ` +
        'If no field of the file is in quotation marks, write "quotes": false into the file of columns.',
    );
  }
  return new Error(
    `Row ${row} has a misplaced quotation mark, so later rows cannot be told apart. Write a field that has a " as ` +
      '"Jo ""Bo"" Doe". If no field of the file is in quotation marks, write "quotes": false into the file of columns.',
  );
}

/** The encodings in which any bytes are letters, also the bytes of UTF-8. */
const ANY_BYTES = /^(windows|iso)-/;

/**
 * Decodes a stream, by its byte order mark if it has one. `isUndecodable` tells that bytes are not of the encoding.
 * @throws Error if the stream is UTF-8, and was to be read as an encoding in which any bytes are letters.
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
          `The file is UTF-8, not ${encoding}. Write "encoding": "utf-8" into the file of columns.`,
        );
      }
    }
    const isUndecodable = textOf(decoders.strict, bytes, stream) === undefined;
    return { text: decoders.lenient.decode(bytes, { stream }), isUndecodable };
  };
  for await (const chunk of input) {
    head = Buffer.concat([head, chunk]);
    // A byte order mark has up to three bytes.
    if (head.length < 3) continue;
    yield decode(head, false);
    head = Buffer.alloc(0);
  }
  yield decode(head, true);
}

type Decoder = InstanceType<typeof TextDecoder>;

const decodersOf = (encoding: string) => ({
  lenient: new TextDecoder(encoding),
  strict: new TextDecoder(encoding, { fatal: true }),
});

/** The encoding of a file that begins with a byte order mark, or with the zeros of UTF-16 for ASCII. */
function encodingOf(bytes: Buffer): string | undefined {
  const mark = MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (mark) return mark[0];
  if (bytes[0] === 0 && bytes[1]) return 'utf-16be';
  return bytes[0] && bytes[1] === 0 ? 'utf-16le' : undefined;
}

/** Whether bytes are UTF-8, but for a character that is cut at their end. */
const isUtf8 = (bytes: Buffer) => textOf(decodersOf('utf-8').strict, bytes, true) !== undefined;

/** Returns the text of bytes, or undefined if they are not of the decoder's encoding. */
function textOf(decoder: Decoder, bytes: Buffer, stream: boolean): string | undefined {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    return undefined;
  }
}
