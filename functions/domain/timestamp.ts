/**
 * Returns whether `value` is an ISO 8601 instant in UTC with milliseconds and a trailing `Z`. The day must exist:
 * `2026-02-30T00:00:00.000Z` is rejected.
 */
export function isTimestamp(value: string): boolean {
  // Years before 0 and after 9999 have a sign and six digits. An invalid date becomes `null` in JSON.
  return /^\d{4}-/.test(value) && new Date(value).toJSON() === value;
}

/**
 * The last second of the year 9999, in seconds since 1970. Timestamps of later years have a sign and six digits, and
 * do not sort as text.
 */
export const LAST_SECOND = Date.UTC(10_000, 0) / 1000 - 1;

export const Timestamp = {
  type: 'string',
  format: 'timestamp',
  description: 'ISO 8601 in UTC with milliseconds and a trailing Z.',
} as const;

/** The schema of a year, a month or a day, depending on the precision of the source; `null` if unknown. */
export const PartialDate = {
  type: ['string', 'null'],
  pattern: '^\\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\\d|3[01]))?)?$',
  description: 'YYYY, YYYY-MM or YYYY-MM-DD.',
} as const;
