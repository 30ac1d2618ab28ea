import { describe, expect, it } from 'vitest';
import {
  isTimestamp,
  MAX_EPOCH_SECONDS,
  PartialDate,
} from '../../../functions/domain/timestamp.ts';

describe('a timestamp', () => {
  it.each([
    '2026-09-14T12:30:45.123Z',
    '1969-12-31T23:59:59.999Z',
    '2024-02-29T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
  ])('may be %s', (value) => {
    expect(isTimestamp(value)).toBe(true);
  });

  it('is not later than the last second of the year 9999', () => {
    expect(new Date(1000 * MAX_EPOCH_SECONDS).toISOString()).toBe('9999-12-31T23:59:59.000Z');
    expect(isTimestamp(new Date(1000 * (MAX_EPOCH_SECONDS + 1)).toISOString())).toBe(false);
  });

  it.each([
    ['has no milliseconds', '2026-09-14T12:30:45Z'],
    ['has an offset', '2026-09-14T12:30:45.123+00:00'],
    ['has no time', '2026-09-14'],
    ['is of a day that does not exist', '2026-02-30T00:00:00.000Z'],
    ['is of a year before 0', '-000001-01-01T00:00:00.000Z'],
    ['is in lower case', '2026-09-14t12:30:45.123z'],
    ['has a space before it', ' 2026-09-14T12:30:45.123Z'],
    ['is empty', ''],
  ])('is rejected if it %s', (_, value) => {
    expect(isTimestamp(value)).toBe(false);
  });
});

describe('a partial date', () => {
  const pattern = new RegExp(PartialDate.pattern, 'u');

  it('has a year, a year and a month, or a day', () => {
    const good = ['2019', '2019-03', '2019-12-31'];
    const bad = [
      '19',
      '2019-13',
      '2019-00',
      '2019-3',
      '2019-03-32',
      '2019-03-00',
      '',
      '2019-03-31T',
    ];
    expect([...good, ...bad].filter((text) => pattern.test(text))).toEqual(good);
  });
});
