/** Refuses days that do not exist, such as `2026-02-30T00:00:00.000Z`. */
export function isTimestamp(value: string): boolean {
  // `toJSON` writes years outside 0 to 9999 with a sign and six digits, and returns `null` for an invalid date.
  return /^\d{4}-/.test(value) && new Date(value).toJSON() === value;
}

/** End of the year 9999: in ISO 8601, later years have a sign and six digits, so their dates do not sort as text. */
export const MAX_EPOCH_SECONDS = Date.UTC(10_000, 0) / 1000 - 1;

export const Timestamp = {
  type: 'string',
  format: 'timestamp',
  description: 'ISO 8601 in UTC with milliseconds and a trailing Z.',
} as const;

export const PartialDate = {
  type: ['string', 'null'],
  pattern: '^\\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\\d|3[01]))?)?$',
  description: 'YYYY, YYYY-MM or YYYY-MM-DD.',
} as const;
