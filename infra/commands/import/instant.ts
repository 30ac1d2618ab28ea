import type { KeywordDefinition } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { isTimestamp } from '../../../functions/domain/timestamp.ts';

/** The schema of an instant that `instantKeyword` puts into the form of the contract. */
export const instantSchema = {
  format: 'date-time',
  instant: true,
  means: 'a date and time with its offset from UTC, such as 2026-09-14T12:30:45.123Z',
};

/**
 * The keyword of Ajv that replaces a date and time of RFC 3339, such as `2026-09-14T14:30:45+02:00`, by the
 * timestamp of the contract: in UTC, with milliseconds. Further digits are cut off.
 */
export const instantKeyword: KeywordDefinition = {
  keyword: 'instant',
  type: 'string',
  modifying: true,
  schema: false,
  validate(text: string, at?: DataValidationCxt) {
    // Null for a leap second, and with its offset it may be in the year 10000, or before the year 0.
    const timestamp = new Date(text).toJSON() ?? '';
    if (at && isTimestamp(timestamp)) at.parentData[at.parentDataProperty] = timestamp;
    return isTimestamp(timestamp);
  },
};
