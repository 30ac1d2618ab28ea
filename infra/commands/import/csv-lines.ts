import type { Readable } from 'node:stream';
import { DateTime } from 'luxon';
import { type Columns, namesOf } from './csv-columns.ts';
import { type Row, rowsOf } from './csv-rows.ts';
import type { Line } from './lines.ts';

const NUMBERS = new Set(['score', 'expires_at']);
/** A double holds any number of so many digits exactly. */
const EXACT_DIGITS = 15;

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
