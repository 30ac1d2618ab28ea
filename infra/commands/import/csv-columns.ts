import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DateTime, IANAZone } from 'luxon';
import schema from '../../../docs/csv-columns.schema.json' with { type: 'json' };
import { faultsOf, reasonOf } from '../../writer/faults.ts';
import { recordSchemas } from '../../writer/record-schema.ts';
import { pathOf } from '../cli/operator-files.ts';
import { quoted } from '../cli/output.ts';
import { type CommandIo, WrongUsage } from '../cli/run-command.ts';

type Values = Readonly<Record<string, string | number>>;

/** The content of a columns file. `docs/csv-columns.schema.json` describes the members. */
export interface Columns {
  $schema?: string;
  delimiter: string;
  quotes?: boolean;
  encoding?: string;
  decimal_sign?: '.' | ',';
  date_format?: string;
  time_zone?: string;
  missing_email?: 'refuse' | 'invalid-address';
  constants?: Values;
  defaults?: Values;
  columns: Readonly<Record<string, string | null>>;
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, keywords: ['means'] });
const isColumns = ajv.compile<Columns>(schema);

/**
 * Reads the columns file that the operator named.
 * @throws WrongUsage if the file cannot be read, is invalid, or has no source for a required field.
 */
export async function readColumns(name: string, io: Pick<CommandIo, 'env'>): Promise<Columns> {
  const text = await readFile(pathOf(name, io), 'utf8').catch(() => {
    throw new WrongUsage(
      `${name} cannot be read. To create it, run npm run -s import -- FILE.csv --print-columns > ${name}`,
    );
  });
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new WrongUsage(`${name} is not JSON. Look for a missing comma or quotation mark.`);
  }
  if (!isColumns(value)) {
    const reason = reasonOf(faultsOf(schema, isColumns.errors ?? []));
    throw new WrongUsage(`${name}: ${reason}. docs/csv-columns.schema.json explains each member.`);
  }
  const fault = faultOf(value);
  if (fault !== undefined) throw new WrongUsage(`${name}: ${fault}`);
  return value;
}

/**
 * Returns the fault of a columns file: a contradiction, or the required fields that the file lacks. Returns undefined
 * if the file has no fault.
 */
function faultOf({ columns, constants = {}, defaults = {}, ...how }: Columns): string | undefined {
  const mapped = new Set(Object.values(columns));
  const twice = Object.keys(constants).find((field) => mapped.has(field));
  if (twice) return `${twice} has a column and a constant. Remove one of them.`;
  const alone = Object.keys(defaults).find((field) => !mapped.has(field));
  if (alone) return `${alone} has a default and no column. Write the value under "constants".`;
  const { time_zone: zone = 'UTC', missing_email: missing, decimal_sign: sign } = how;
  if (how.date_format !== undefined && !keepsDates(how.date_format)) {
    return (
      'date_format loses a part of the date. Write the year (yyyy), the month (MM) and the day (dd), and a time ' +
      'as HH:mm or hh:mm a. MM is the month, and mm is the minute.'
    );
  }
  if (!IANAZone.isValidZone(zone)) return `time_zone must be an IANA name, such as Europe/Berlin.`;
  if (sign === how.delimiter && how.quotes === false) {
    return 'decimal_sign and delimiter must differ if no field has quotation marks.';
  }
  const required = recordSchemas.application.required.filter(
    (field) =>
      field !== 'type' &&
      !(field === 'email' && missing === 'invalid-address') &&
      !mapped.has(field) &&
      !(field in constants),
  );
  if (required.length === 0) return undefined;
  return `required fields without a column or a constant: ${required.join(', ')}. Add them under "columns".`;
}

/**
 * Returns whether the date format loses nothing: a date that is formatted and parsed again keeps its minute, or its day
 * if the format has no time.
 */
function keepsDates(form: string): boolean {
  // In other libraries, D is a day and Y is a year. In Luxon, both letters have other meanings, so they are probably a
  // mistake.
  if (/[DY]/.test(form.replace(/'[^']*'/g, ''))) return false;
  const how = { zone: 'UTC', locale: 'en' };
  const time = DateTime.fromISO('2026-11-23T21:47', how);
  const read = DateTime.fromFormat(time.toFormat(form), form, how);
  return [time, time.startOf('day')].some((it) => it.equals(read.startOf('minute')));
}

/** Returns the names of columns for a message. Such names have no personal data, but may have invisible characters. */
export const namesOf = (columns: readonly string[]) => columns.map(quoted).join(', ');
