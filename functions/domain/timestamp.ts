/** Refuses days that do not exist, such as `2026-02-30T00:00:00.000Z`. */
export function isTimestamp(value: string): boolean {
  // `toJSON` writes years outside 0 to 9999 with a sign and six digits, and returns `null` for an invalid date.
  return /^\d{4}-/.test(value) && new Date(value).toJSON() === value;
}

/** RFC 3339, section 5.6, without leap seconds. Also allows `2026-01-31 09:30:00+0200` and `+02`. */
export const INSTANT =
  '^(\\d{4}-\\d{2}-\\d{2})[Tt ]((?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?)' +
  '(?:[Zz]|([+-](?:[01]\\d|2[0-3]))(?::?([0-5]\\d))?)$';
const instantPattern = new RegExp(INSTANT);

/** Some languages' date types have no year 0. */
export const isStorable = (text: string) => isTimestamp(text) && !text.startsWith('0000');

/**
 * Converts to the contract's format: UTC, cut off after the milliseconds. Undefined if the text is not a date and time,
 * or its year in UTC is not within 0001 to 9999.
 */
export function timestampOf(text: string): string | undefined {
  if (isStorable(text)) return text;
  const [, day = '', time, hours, minutes = '00'] = instantPattern.exec(text) ?? [];
  if (!isTimestamp(`${day}T00:00:00.000Z`)) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const timestamp = new Date(`${day}T${time}${offset}`).toJSON();
  return isStorable(timestamp) ? timestamp : undefined;
}

/** End of the year 9999. In ISO 8601, later years have a sign and six digits, so dates would not sort as text. */
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
