/**
 * Returns whether `value` is an ISO 8601 instant in UTC with milliseconds and a trailing `Z`. The day must exist:
 * `2026-02-30T00:00:00.000Z` is rejected.
 */
export function isTimestamp(value: string): boolean {
  // `toJSON` writes years before 0 and after 9999 with a sign and six digits. For an invalid date, `toJSON` returns
  // `null`.
  return /^\d{4}-/.test(value) && new Date(value).toJSON() === value;
}

/**
 * The last second of the year 9999, in seconds since 1970. In later timestamps, the year has a sign and six digits, so
 * these timestamps do not sort correctly as text.
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
