import { describe, expect, it } from 'vitest';
import { WrongUsage } from '../../../../infra/cli/command.ts';
import { expiryOf, readDays } from '../../../../infra/operations/retention/expiry.ts';

const NOW = Date.parse('2026-11-05T10:00:00.999Z');
const seconds = (time: string) => Date.parse(time) / 1000;

describe('the time at which an application expires', () => {
  it('is so many days after it was made, in seconds', () => {
    expect(expiryOf('2026-11-01T12:30:45.123Z', 30, NOW)).toBe(seconds('2026-12-01T12:30:45Z'));
    expect(expiryOf('2024-02-28T00:00:00.000Z', 36_500, NOW)).toBe(seconds('2124-02-04T00:00:00Z'));
  });

  it('is now if that is in the past: DynamoDB does not delete what expired over five years ago', () => {
    expect(expiryOf('2015-01-01T00:00:00.000Z', 365, NOW)).toBe(seconds('2026-11-05T10:00:00Z'));
    expect(expiryOf('2026-11-04T10:00:00.998Z', 1, NOW)).toBe(seconds('2026-11-05T10:00:00Z'));
  });

  it.each([undefined, null, 5, '', '2026-11-01', 'yesterday'])(
    'is not known from %j',
    (created) => {
      expect(expiryOf(created, 30, NOW)).toBeUndefined();
    },
  );
});

describe('a number of days', () => {
  it.each([
    ['1', 1],
    ['365', 365],
    ['36500', 36_500],
  ])('may be %s', (text, days) => {
    expect(readDays('days', text)).toBe(days);
  });

  it.each(['', '0', '-1', '1.5', '36501', '1e3', ' 1', '0x1f', 'two', '999999'])(
    'may not be %j',
    (text) => {
      expect(() => readDays('days', text)).toThrow(WrongUsage);
    },
  );
});
