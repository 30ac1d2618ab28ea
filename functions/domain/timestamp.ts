/**
 * Whether `value` is an ISO 8601 instant in UTC with milliseconds and a trailing `Z`, of a day that
 * exists (`2026-02-30T00:00:00.000Z` does not).
 */
export function isTimestamp(value: string): boolean {
  // Years before 0 and after 9999 have a sign and six digits. The JSON of an invalid date is null.
  return /^\d{4}-/.test(value) && new Date(value).toJSON() === value;
}

/**
 * The last second of the year 9999, counted from 1970: timestamps of later years have a sign and six digits,
 * and no longer sort as text.
 */
export const LAST_SECOND = Date.UTC(10_000, 0) / 1000 - 1;

export const Timestamp = {
  type: 'string',
  format: 'timestamp',
  description: 'ISO 8601 in UTC with milliseconds and a trailing Z.',
} as const;

/** The schema of a date as precise as its source was: a year, a month or a day; null if unknown. */
export const PartialDate = {
  type: ['string', 'null'],
  pattern: '^\\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\\d|3[01]))?)?$',
  description: 'YYYY, YYYY-MM or YYYY-MM-DD.',
} as const;
