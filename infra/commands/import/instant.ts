import type { KeywordDefinition } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { isTimestamp } from '../../../functions/domain/timestamp.ts';

/** A date and time of RFC 3339, section 5.6: its seconds, their fraction, its offset from UTC. */
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The timestamp of the contract for a date and time of RFC 3339, such as `2026-09-14T14:30:45+02:00`:
 * in UTC, with milliseconds. Further digits are cut off.
 * @returns undefined if it is not such a date and time, or of a day that does not exist.
 */
function toTimestamp(text: string): string | undefined {
  const [, seconds, fraction = '', offset] = DATE_TIME.exec(text) ?? [];
  const time = `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (!isTimestamp(`${time}Z`)) return undefined;
  const timestamp = new Date(`${time}${offset}`).toISOString();
  // With its offset it may be in the year 10000, or before the year 0.
  return isTimestamp(timestamp) ? timestamp : undefined;
}

/** The schema of an instant that `instantKeyword` puts into the form of the contract. */
export const instantSchema = {
  instant: true,
  means: 'a date and time with its offset from UTC, such as 2026-09-14T12:30:45.123Z',
};

/** The keyword of Ajv that accepts a date and time of RFC 3339 and replaces it by its timestamp. */
export const instantKeyword: KeywordDefinition = {
  keyword: 'instant',
  type: 'string',
  modifying: true,
  schema: false,
  validate(text: string, at?: DataValidationCxt) {
    const timestamp = toTimestamp(text);
    if (at && timestamp !== undefined) at.parentData[at.parentDataProperty] = timestamp;
    return timestamp !== undefined;
  },
};
