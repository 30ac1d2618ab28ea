/**
 * Returns whether `value` is an ISO 8601 timestamp in UTC with milliseconds and a trailing `Z`. Returns false for a day
 * that does not exist, as in `2026-02-30T00:00:00.000Z`.
 */
export function isTimestamp(value: string): boolean {
  // The pattern rejects years before 0 and after 9999, which `toJSON` writes with a sign and six digits. For an invalid
  // date, `toJSON` returns `null`, which is not equal to any string.
  return /^\d{4}-/.test(value) && new Date(value).toJSON() === value;
}

/**
 * The last second of the year 9999, as a Unix timestamp in seconds. Later years have a sign and six digits in ISO 8601,
 * so timestamps in these years do not sort correctly as text.
 */
export const LAST_SECOND = Date.UTC(10_000, 0) / 1000 - 1;

export const Timestamp = {
  type: 'string',
  format: 'timestamp',
  description: 'ISO 8601 in UTC with milliseconds and a trailing Z.',
} as const;

/** The schema of a date that may lack the day, or the month and the day. An unknown date is `null`. */
export const PartialDate = {
  type: ['string', 'null'],
  pattern: '^\\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\\d|3[01]))?)?$',
  description: 'YYYY, YYYY-MM or YYYY-MM-DD.',
} as const;
