import type { Readable } from 'node:stream';
import { DateTime } from 'luxon';
import { type Columns, namesOf } from './csv-columns.ts';
import { type Row, rowsOf } from './csv-rows.ts';
import type { Line } from './lines.ts';

/** The fields that are numbers. */
const NUMBERS = new Set(['score', 'expires_at']);
/** The number of decimal digits that a JavaScript number always holds exactly. */
const EXACT_DIGITS = 15;

/**
 * Returns a function that splits a CSV file (RFC 4180) into the lines of an import. Each row becomes a line with a
 * record, or with the reason to refuse the row. The header and each blank row become a blank line, so that the line
 * numbers are the row numbers of a spreadsheet.
 *
 * The function throws an Error if the header lacks a column of the columns file, or has such a column twice. It also
 * throws at bytes of another encoding and at a misplaced quotation mark, because it could misread all later rows.
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

/** Returns a function that reads the rows below the header `first`. */
function rowReader(columns: Columns, first: Row): (row: Row) => Line {
  const recordOf = mappingOf(columns, first.record);
  const { length } = first.record;
  const written = ({ raw }: Row) => raw.replace(/[\r\n]+$/, '');
  const rowsByKey = new Map<string, number>();
  let number = 1;
  // The import writes refused rows in UTF-8. The byte order mark tells a later import to read the rows as UTF-8,
  // whatever encoding the columns file names.
  const header = Buffer.from(`\ufeff${written(first)}`);
  return (row) => {
    const { record: values } = row;
    number += 1;
    if (values.length === 1 && values[0] === '') return BLANK;
    const kept = { source: Buffer.from(written(row)), header };
    if (values.length !== length) {
      return {
        reason: `the row has ${values.length} fields, but the header has ${length}`,
        ...kept,
      };
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

/** The error of an invalid value. The message names the field, and never shows the value. */
class InvalidValue extends Error {}

/** Returns a function that converts a row below this header into a record. */
function mappingOf(columns: Columns, header: readonly string[]) {
  const names = header.map((name) => name.trim());
  const mapped = Object.entries(columns.columns).filter(([, field]) => field !== null);
  const countOf = (column: string) => names.filter((name) => name === column.trim()).length;
  const missing = mapped.map(([column]) => column).filter((column) => countOf(column) === 0);
  if (missing.length > 0) {
    throw new Error(
      `The header has no column ${namesOf(missing)}. Its columns are ${namesOf(names)}. Correct the names or the ` +
        'delimiter in the columns file.',
    );
  }
  const twice = mapped.map(([column]) => column).filter((column) => countOf(column) > 1);
  if (twice.length > 0) {
    throw new Error(
      `The header has several columns ${namesOf(twice)}. Give each column of the CSV file a different name.`,
    );
  }
  /** The positions of each field's columns in a row. */
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

/** Returns a function that reads the text of a field. For an empty text, it returns the field's default. */
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
